/**
 * A session that a worker runs, with the same interface as one that runs here. A command becomes a job; events are read
 * from where the worker keeps them, and progress in between is received as the worker publishes it.
 */

import { AGENT_LIMITS } from '../agent/limits.ts';
import { notSent, QUEUE_FULL } from '../agent/session/message-queue.ts';
import type { OpenSession } from '../agent/session.ts';
import type { HandedOver } from '../agent/telemetry/tracing.ts';
import type { Command, Event, Progress, SessionFace, SessionUpdate } from '../core/events.ts';
import type { Limits } from '../core/limits.ts';
import { hasMessage, wrongKey } from '../core/message-key.ts';
import { type Failure, type Outcome, succeed } from '../core/outcome.ts';
import { parseDecision } from '../core/permission-decision.ts';
import { folderOf } from '../core/session-folder.ts';
import type { State } from '../core/state.ts';
import { fold, step } from '../core/step.ts';
import type { SessionFeed } from '../core/storage-port.ts';
import { AnswerWords } from './answer-words.ts';
import type { JobQueue } from './job-queue.ts';
import { isMessage, isToRun, waitsForIdle } from './jobs.ts';
import { CLUSTER_LIMITS } from './limits.ts';
import { noWorkerText } from './queue-depth.ts';

export type RemoteParts = {
  id: string;
  events: readonly Event[];
  model?: string;
  limits: Limits;
  queue: Pick<JobQueue, 'add' | 'cancelWaiting' | 'messagesWaiting'>;
  feed: SessionFeed;
  /** The folders that workers work for now. */
  served(): Promise<Outcome<ReadonlySet<string>>>;
  /** Tells the worker that has the session open, if one has, of a job. */
  tellWorker(job: string): void;
  /** Ends the run here, where no worker has the session open. */
  cancelHere(): Promise<void>;
  /** The span in which a message is handed over, where somebody asked for traces. */
  handOver?(traceparent: string | undefined): Promise<HandedOver | undefined>;
  /** Progress of this session, the event that it comes after, and the place of a piece of text in its answer. */
  subscribe(listener: (after: number, update: Progress, at?: number) => void): () => void;
};

const said = ({ message, reason }: Failure) => ({ message, reason });
type Reply = Awaited<ReturnType<SessionFace['send']>>;

export const createRemoteSession = (parts: RemoteParts): OpenSession => {
  const session = new RemoteSession(parts);
  return {
    id: session.id,
    send: (command) => session.send(command),
    subscribe: (listener) => session.subscribe(listener),
    log: () => session.log(),
    idle: () => session.idle(),
    settled: () => session.settled(),
    close: () => session.close(),
    // Nothing runs here, so leaving and closing are the same.
    leave: () => session.close(),
  };
};

class RemoteSession {
  readonly id: string;
  readonly #parts: RemoteParts;
  readonly #log: Event[];
  readonly #listeners = new Set<(update: SessionUpdate) => void>();
  readonly #idleWaiters = new Set<() => void>();
  readonly #stops: readonly (() => void)[];
  #state: State;
  /** The keys of messages that were added to the queue and are not in the log yet. */
  readonly #messages = new Set<string>();
  /** By key: messages of which nobody knows yet whether they are taken. */
  readonly #undecided = new Map<string, Promise<Reply>>();
  /** Progress that came before the event that it follows. */
  #held: [after: number, update: Progress, at?: number][] = [];
  readonly #words: AnswerWords;
  #closed = false;

  constructor(parts: RemoteParts) {
    this.id = parts.id;
    this.#parts = parts;
    this.#log = [...parts.events];
    this.#state = fold(parts.limits, this.#log);
    this.#words = new AnswerWords(this.#log);
    this.#stops = [
      parts.feed.follow(parts.id, this.#lastSeq(), { onEvents: (events) => this.#receive(events) }),
      parts.subscribe((...progress) => this.#receiveProgress(...progress)),
    ];
  }

  async send(given: Command): Promise<Reply> {
    // Each has a key, so that a worker that takes it up again knows whether it was taken.
    const command = isMessage(given)
      ? { ...given, idempotency_key: given.idempotency_key ?? crypto.randomUUID() }
      : given;
    const key = isMessage(command) ? command.idempotency_key : undefined;
    if (key === undefined) return this.#send(command);
    // The same one again: it is taken where the first is, and refused where the first is.
    const undecided = this.#undecided.get(key);
    if (undecided) return undecided;
    const sent = this.#send(command, key);
    this.#undecided.set(key, sent);
    try {
      return await sent;
    } finally {
      this.#undecided.delete(key);
    }
  }

  async #send(command: Command, key?: string): Promise<Reply> {
    if (this.#closed) return { ok: false, message: 'This session is closed.' };
    if (key !== undefined && (this.#messages.has(key) || hasMessage(this.#log, key))) return { ok: true };
    if (isMessage(command) && this.#messages.size >= AGENT_LIMITS.queuedMessages) return QUEUE_FULL;
    const message = this.#objection(command);
    if (message !== undefined) return { ok: false, message };
    // Other servers know of theirs alone. Without an answer the message is not refused: adding it says what is wrong.
    if (key !== undefined) this.#messages.add(key);
    const waiting = isMessage(command) ? await this.#parts.queue.messagesWaiting(this.id) : succeed(0);
    if (key !== undefined && waiting.ok && waiting.value >= AGENT_LIMITS.queuedMessages) {
      this.#messages.delete(key);
      return QUEUE_FULL;
    }
    const known = command.type === 'resolve_permission' ? parseDecision(command.decision) : undefined;
    if (command.type === 'resolve_permission' && known?.ok === false) {
      const { message: reason } = known.error;
      const denied = await this.send({ ...command, decision: 'deny', reason });
      return denied.ok ? { ok: false, message: `Denied: ${reason}.` } : denied;
    }
    const dropped = command.type === 'cancel' ? await this.#cancelWaiting() : succeed(undefined);
    if (!dropped.ok) return { ok: false, ...said(dropped.error) };
    const span = command.type === 'send_message' ? await this.#parts.handOver?.(command.traceparent) : undefined;
    const handed = span === undefined ? command : { ...command, traceparent: span.traceparent };
    const added = await this.#parts.queue.add({
      session: this.id,
      folder: folderOf(this.#log),
      command: handed,
      model: this.#parts.model,
    });
    span?.end(added.ok ? undefined : added.error.error_type);
    if (!added.ok) {
      if (key !== undefined) this.#messages.delete(key);
      return { ok: false, ...said(added.error) };
    }
    if (isToRun(command)) this.#parts.tellWorker(added.value);
    // A conversation that waits for an answer is in no process: a worker has to take it up.
    void this.#warnUnserved();
    if (command.type === 'cancel' && !this.#isIdle()) void this.#parts.cancelHere();
    return { ok: true };
  }

  subscribe(listener: (update: SessionUpdate) => void): () => void {
    const { model, iteration } = this.#state;
    for (const missed of this.#words.join({ type: 'model_started', model, iteration })) listener(missed);
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  log(): readonly Event[] {
    return this.#log;
  }

  idle(): Promise<void> {
    return this.#isIdle() ? Promise.resolve() : new Promise((resolve) => this.#idleWaiters.add(resolve));
  }

  async settled(): Promise<'idle' | 'waiting'> {
    await this.idle();
    return this.#state.phase === 'idle' ? 'idle' : 'waiting';
  }

  /** The run goes on; only this view of it ends. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const stop of this.#stops) stop();
    this.#settle();
  }

  /** Whoever waits for something that nobody can do now is told why. */
  async #warnUnserved(): Promise<void> {
    const folder = folderOf(this.#log);
    const served = await this.#parts.served();
    // While the database is away nobody knows who is there.
    if (folder === undefined || this.#closed || !served.ok || served.value.has(folder)) return;
    this.#publish({ type: 'warning', code: 'no_worker', message: noWorkerText(folder) });
  }

  #lastSeq(): number {
    return this.#log.at(-1)?.seq ?? 0;
  }

  #isIdle(): boolean {
    return this.#state.phase === 'idle' && this.#messages.size === 0;
  }

  #publish(update: SessionUpdate): void {
    for (const listener of [...this.#listeners]) listener(update);
  }

  #settle(): void {
    if (!this.#isIdle() && !this.#closed) return;
    for (const resolve of this.#idleWaiters) resolve();
    this.#idleWaiters.clear();
  }

  #receive(events: readonly Event[]): void {
    for (const event of events) {
      this.#log.push(event);
      if (event.type === 'user_message_added') this.#messages.delete(event.idempotency_key ?? '');
      this.#state =
        event.type === 'branch_selected' ? fold(this.#parts.limits, this.#log) : step(this.#state, event).state;
      const { model, iteration } = this.#state;
      const asked = { type: 'model_started', model, iteration } as const;
      for (const missing of this.#words.keep(event, asked)) this.#publish(missing);
      this.#publish(event);
      const held = this.#held;
      this.#held = [];
      for (const progress of held) this.#receiveProgress(...progress);
    }
    this.#settle();
  }

  /** Progress that ran ahead of its event waits for it; of progress that an event overtook, what is not in that event counts. */
  #receiveProgress(after: number, update: Progress, at?: number): void {
    // The log went back: what was said of events that could not be kept is of a try that does not count. A warning has no
    // place in the log, and may be of another job.
    if (update.type !== 'warning' && this.#held.some(([later]) => later > after))
      this.#held = this.#held.filter(([later]) => later <= after);
    if (after > this.#lastSeq()) {
      if (this.#held.length < CLUSTER_LIMITS.workerHeldWords) this.#held.push([after, update, at]);
      return;
    }
    if (this.#isOver(after, update)) return;
    for (const news of this.#words.hear(update, after, at)) this.#publish(news);
  }

  /** The output of a call stands in its result. */
  #isOver(after: number, update: Progress): boolean {
    if (update.type !== 'tool_output_delta' || after === this.#lastSeq()) return false;
    return this.#state.entries.find(({ call }) => call.id === update.tool_call_id)?.status !== 'running';
  }

  /** What the worker would refuse is refused here, where somebody waits for the answer. */
  #objection(command: Command): string | undefined {
    if (isMessage(command)) {
      const wrong = wrongKey(command.idempotency_key);
      if (wrong !== undefined) return wrong;
      const isEmpty = typeof command.content === 'string' && command.content.trim() === '';
      return isEmpty ? 'The message is empty.' : undefined;
    }
    if (command.type === 'resolve_permission' || command.type === 'leave_unanswered') {
      const entry = this.#state.entries.find(({ call }) => call.id === command.tool_call_id);
      return entry?.awaited === 'permission' ? undefined : 'Nothing is asked about this call now.';
    }
    if (waitsForIdle(command) && !this.#isIdle()) return 'A run is going on. Stop it, or wait until it is done.';
    return undefined;
  }

  async #cancelWaiting(): Promise<Outcome<void>> {
    const cancelled = await this.#parts.queue.cancelWaiting(this.id, ({ command }) => isMessage(command));
    if (!cancelled.ok) return cancelled;
    this.#messages.clear();
    if (cancelled.value > 0) {
      const text = notSent(cancelled.value);
      this.#publish({ type: 'warning', code: 'queue_dropped', message: text });
    }
    return succeed(undefined);
  }
}
