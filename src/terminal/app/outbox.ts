/**
 * What the person says on its way to the session. While a run goes on it waits: for the next step of the run, or for its
 * end. What waits is on the screen and can be taken back, and nothing of it is ever lost.
 */

import { AGENT_LIMITS } from '../../agent/limits.ts';
import { QUEUE_FULL } from '../../agent/session/message-queue.ts';
import type { QueuedMessage, SessionFace, SessionUpdate } from '../../core/events.ts';
import type { ContentPart } from '../../core/message.ts';
import type { AppOptions, ModelFacts } from '../app-options.ts';
import { TERMINAL_LIMITS } from '../limits.ts';
import { sanitizeLine, sanitizeTitle } from '../sanitize.ts';
import { cut } from '../text.ts';
import type { Theme } from '../theme.ts';
import type { Severity } from '../transcript/items.ts';
import type { Activity } from './activity.ts';
import type { PromptEditor } from './prompt-editor.ts';
import type { ShellController } from './shell-controller.ts';

export type OutboxPorts = {
  session(): SessionFace;
  activity(): Activity;
  shell: ShellController;
  prompt: PromptEditor;
  expand: AppOptions['expand'];
  /** The pictures that a message names. */
  attached(text: string): ContentPart[];
  model(): ModelFacts;
  now(): number;
  /** What goes on has begun or ended. */
  spin(): void;
  notice(severity: Severity, text: string): void;
  /** What waits has changed. */
  changed(): void;
};

/** `step`: the run that goes on gets it at its next step. `end`: it begins a run of its own when this one is over. */
export type Turn = 'step' | 'end';

type Content = string | ContentPart[];
/** A file by its name, or the prompt of a command. */
const mayBring = (text: string): boolean => text.includes('@') || text.startsWith('/');
/** As it was typed; `content` from when it was handed to the session, `queueId` as the session calls it. */
type Waiting = { text: string; turn: Turn; content?: Content; queueId?: string };

export class Outbox {
  readonly #ports: OutboxPorts;
  /** In the order in which they were typed. */
  #waiting: Waiting[] = [];
  /** What the session has not taken yet: its model may have to be waited for. */
  #sending: string[] = [];

  constructor(ports: OutboxPorts) {
    this.#ports = ports;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#held.length === 0;
  }

  /** All that waits, as it was typed. */
  get texts(): readonly string[] {
    return [...this.#sending, ...this.#waiting.map(({ text }) => text)];
  }

  /** What the session holds until its model is there: it says so, where a message that is only on its way is silent. */
  get #held(): readonly string[] {
    return this.#ports.activity().isSending ? [] : this.#sending;
  }

  /** At once where nothing goes on. */
  say(text: string, turn: Turn): void {
    const { activity, notice, prompt } = this.#ports;
    if (!activity().isRunning) void this.send(text);
    else if (this.#waiting.length >= AGENT_LIMITS.queuedMessages) {
      notice('warning', QUEUE_FULL.message);
      prompt.set(text);
    } else {
      const waiting: Waiting = { text, turn };
      this.#waiting.push(waiting);
      this.#ports.changed();
      if (turn === 'step') void this.#steer(waiting);
    }
  }

  async send(text: string): Promise<void> {
    const { session, activity, shell, now, spin, notice } = this.#ports;
    activity().sent(now());
    spin();
    // A message that brings nothing along goes at once: what is typed next is meant for what it leads to.
    const isPlain = !mayBring(text) && shell.isEmpty;
    this.#sending.push(text);
    const content = isPlain ? this.#withBrought(text, text) : await this.#content(text);
    const sent = await session().send({ type: 'send_message', content });
    this.#sending.splice(this.#sending.indexOf(text), 1);
    if (sent.ok) {
      this.#ports.changed();
      return;
    }
    activity().stopped(now());
    spin();
    notice('error', sent.message);
    // What was said after it goes with it.
    const later = this.#waiting.splice(0).map((waiting) => waiting.text);
    this.#putBack([text, ...later]);
  }

  async #steer(waiting: Waiting): Promise<void> {
    const content = mayBring(waiting.text) ? await this.#expanded(waiting.text) : waiting.text;
    // It may have been taken back, or given back after a stop, while its files were read.
    if (!this.#waiting.includes(waiting)) return;
    waiting.content = this.#withBrought(waiting.text, content);
    const sent = await this.#ports.session().send({ type: 'steer', content: waiting.content });
    if (sent.ok || !this.#forget(waiting)) return;
    this.#ports.notice('error', sent.message);
    this.#putBack([waiting.text]);
  }

  /** The message, the files it names, and what the person ran since the last one. */
  async #content(text: string): Promise<Content> {
    return this.#withBrought(text, await this.#expanded(text));
  }

  async #expanded(text: string): Promise<Content> {
    const { expand, model, notice } = this.#ports;
    const expanded = await expand?.(text);
    for (const problem of expanded?.problems ?? []) notice('quiet', problem);
    const content = expanded?.content ?? text;
    const hasPicture = typeof content !== 'string' && content.some(({ type }) => type === 'image');
    if (hasPicture && model().sees === false)
      notice('warning', `${sanitizeLine(model().name)} does not see pictures; it gets the words alone.`);
    return content;
  }

  #withBrought(text: string, content: Content): Content {
    const brought = [...this.#ports.attached(text), ...this.#ports.shell.take()];
    if (brought.length === 0) return content;
    return [...(typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content), ...brought];
  }

  follow(update: SessionUpdate): void {
    switch (update.type) {
      case 'queue_changed':
        this.#learnIds(update.messages);
        return;
      case 'user_message_added': {
        const said = JSON.stringify(update.content);
        const waiting = this.#waiting.find(({ content }) => JSON.stringify(content) === said);
        if (waiting) this.#forget(waiting);
        return;
      }
      case 'run_completed':
        this.#sendNext();
        return;
      case 'compaction':
        if (update.state === 'finished') this.#sendNext();
        if (update.state === 'cancelled') this.#giveBack();
        return;
      case 'run_stopped':
      case 'run_cancelled':
        this.#giveBack();
        return;
      default:
    }
  }

  #learnIds(messages: readonly QueuedMessage[]): void {
    for (const { queue_id, content } of messages) {
      if (this.#waiting.some(({ queueId }) => queueId === queue_id)) continue;
      const said = JSON.stringify(content);
      const waiting = this.#waiting.find((each) => !each.queueId && JSON.stringify(each.content) === said);
      if (waiting) waiting.queueId = queue_id;
    }
  }

  /** What was handed to the session begins its run there. */
  #sendNext(): void {
    const next = this.#waiting.find(({ content }) => content === undefined);
    if (this.#waiting.some(({ content }) => content !== undefined) || next === undefined) return;
    this.#forget(next);
    void this.send(next.text);
  }

  /** After a stop what waits is the person's again: a run that is over reads nothing more. */
  #giveBack(): void {
    const { texts } = this;
    // All at once, before the session could begin a run with one of them.
    for (const { queueId } of this.#waiting)
      if (queueId !== undefined) void this.#ports.session().send({ type: 'remove_queued', queue_id: queueId });
    this.#waiting = [];
    this.#putBack(texts);
  }

  /** The message that was typed last goes back into the prompt. */
  async takeBack(): Promise<void> {
    const last = this.#waiting.at(-1);
    // What the session holds is given back when it is told to let go of it.
    if (last === undefined) return void (await this.#ports.session().send({ type: 'cancel', queue: 'keep' }));
    if (await this.#take(last)) this.#putBack([last.text]);
    else this.#ports.notice('quiet', 'This message is with the model already.');
  }

  /** False where the session has given it to the model. */
  async #take(waiting: Waiting): Promise<boolean> {
    if (waiting.content === undefined) return this.#forget(waiting);
    if (waiting.queueId === undefined) return false;
    const { queueId } = waiting;
    const removed = await this.#ports.session().send({ type: 'remove_queued', queue_id: queueId });
    return removed.ok && this.#forget(waiting);
  }

  #putBack(texts: readonly string[]): void {
    if (texts.length === 0) return;
    const { prompt } = this.#ports;
    prompt.set([...texts, prompt.text].filter((text) => text !== '').join('\n'));
    this.#ports.changed();
  }

  /** False where it waits no more. */
  #forget(waiting: Waiting): boolean {
    const before = this.#waiting.length;
    this.#waiting = this.#waiting.filter((each) => each !== waiting);
    this.#ports.changed();
    return this.#waiting.length < before;
  }

  lines(width: number, theme: Theme, takeBackKey: string): string[] {
    if (this.isEmpty) return [];
    const all = [...this.#held.map((text): Waiting => ({ text, turn: 'step' })), ...this.#waiting];
    const shown = all.slice(-TERMINAL_LIMITS.queueLines);
    const left = all.length - shown.length;
    const label = { step: 'next: ', end: 'at the end: ' };
    return [
      ...(left > 0 ? [theme.dim(cut(`and ${left} before`, width))] : []),
      ...shown.map(({ text, turn }) => theme.dim(cut(`${label[turn]}${sanitizeTitle(text)}`, width))),
      theme.dim(cut(`${takeBackKey} takes the last one back`, width)),
    ];
  }
}
