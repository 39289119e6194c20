/** Messages that were sent while a run went on, in their order. A message that is held waits for the person, not for the run. */

import type { EventOf, QueuedMessage } from '../../core/events.ts';
import { counted } from '../../core/number-text.ts';
import { AGENT_LIMITS } from '../limits.ts';

/** A message that waits for its turn, as it will stand in the log. */
export type WaitingMessage = Omit<EventOf<'user_message_added'>, 'type' | 'steers'>;

/** What others see of it. */
type QueueChange = { messages: QueuedMessage[]; removed: readonly string[] };
type Entry = { id: string; message: WaitingMessage; held: boolean; steers: boolean };

const NOTHING = '[]';

export const QUEUE_FULL = {
  ok: false,
  message: `${AGENT_LIMITS.queuedMessages} messages are waiting already. Send this one again when one of them was taken.`,
  reason: 'queue_full',
} as const;

/** Told where a cancel drops messages. */
export const notSent = (count: number): string =>
  `${counted(count, 'waiting message')} ${count === 1 ? 'was' : 'were'} not sent.`;

export class MessageQueue {
  #entries: Entry[] = [];
  #removed: readonly string[] = [];
  #told = NOTHING;
  readonly #announce: (change: QueueChange) => void;

  /** `announce` is told of every change that others can see. */
  constructor(announce: (change: QueueChange) => void) {
    this.#announce = announce;
  }

  /** All that wait, held ones too. */
  get size(): number {
    return this.#entries.length;
  }

  /** Whether one could begin when the run is over. */
  get isReady(): boolean {
    return this.#entries.some(({ held }) => !held);
  }

  /** `steers`: it is for the run that goes on. */
  add(message: WaitingMessage, steers = false): void {
    this.#entries.push({ id: crypto.randomUUID(), message, held: false, steers });
  }

  /** Those that are for the run that goes on, taken out. */
  takeSteering(): WaitingMessage[] {
    const isTaken = ({ held, steers }: Entry): boolean => steers && !held;
    const taken = this.#entries.filter(isTaken);
    if (taken.length === 0) return [];
    this.#entries = this.#entries.filter((entry) => !isTaken(entry));
    this.tell();
    return taken.map(({ message }) => message);
  }

  /** The first that is not held, taken out. */
  next(): WaitingMessage | undefined {
    const entry = this.#entries.find(({ held }) => !held);
    this.#entries = this.#entries.filter((each) => each !== entry);
    return entry?.message;
  }

  /** False where it does not wait any more. */
  remove(id: string): boolean {
    const before = this.size;
    this.#entries = this.#entries.filter((entry) => entry.id !== id);
    if (this.size === before) return false;
    this.#removed = [...this.#removed, id].slice(-AGENT_LIMITS.removedMessages);
    return true;
  }

  /** Its turn comes when the run is over. False where it does not wait any more. */
  release(id: string): boolean {
    const entry = this.#entries.find((each) => each.id === id);
    if (entry) entry.held = false;
    return entry !== undefined;
  }

  hold(): void {
    for (const entry of this.#entries) entry.held = true;
  }

  /** How many there were. */
  drop(): number {
    return this.#entries.splice(0).length;
  }

  tell(): void {
    if (this.#entries.length === 0 && this.#told === NOTHING) return;
    const messages = this.#entries.map(
      ({ id, message, held, steers }): QueuedMessage => ({
        queue_id: id,
        content: message.content,
        held,
        ...(steers ? { steers } : {}),
      }),
    );
    const told = JSON.stringify(messages.map(({ queue_id, held }) => [queue_id, held]));
    if (told === this.#told) return;
    this.#told = told;
    this.#announce({ messages, removed: this.#removed });
  }
}
