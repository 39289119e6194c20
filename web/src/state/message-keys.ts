/**
 * The keys of messages of which nobody knows whether they arrived. Sent again, by hand or by itself, such a message has the
 * key of before, so it stands in the session once.
 */
import type { Command } from '../../../src/core/events.ts';

type Keyed = Extract<Command, { type: 'send_message' | 'steer' }>;
export const isKeyed = (command: Command): command is Keyed =>
  command.type === 'send_message' || command.type === 'steer';

/** `randomUUID` is not there for a page that came over plain HTTP. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

export class MessageKeys {
  /** By session: the message without an answer, and its key. */
  readonly #open = new Map<string, { text: string; key: string }>();

  /** The command with its key. */
  keyed(session: string, command: Command): Command {
    if (!isKeyed(command) || command.idempotency_key !== undefined) return command;
    const text = JSON.stringify(command);
    const known = this.#open.get(session);
    const key = known?.text === text ? known.key : newKey();
    this.#open.set(session, { text, key });
    return { ...command, idempotency_key: key };
  }

  /** What is sent from now on is another message, also with the same words. */
  answered(session: string, command: Command): void {
    if (isKeyed(command)) this.#open.delete(session);
  }
}
