/**
 * One conversation: takes commands, appends events, steps the core and hands what it wants done to `run-effects`.
 * The order is fixed: append, step, publish, act. A crash loses at most what was running, and `open` closes that.
 */

import { undoneElsewhere } from '../core/changes.ts';
import type { Effect } from '../core/effects.ts';
import {
  type Command,
  type Event,
  type EventBody,
  type EventOf,
  type PromptPrefix,
  SESSION_VERSION,
  type SessionFace,
  type SessionUpdate,
} from '../core/events.ts';
import type { CallEntry } from '../core/executor.ts';
import { knownFiles } from '../core/known-files.ts';
import type { Limits } from '../core/limits.ts';
import type { AssistantMessage } from '../core/message.ts';
import { ownModelOf } from '../core/model-roles.ts';
import type { Outcome } from '../core/outcome.ts';
import { limitsWith } from '../core/own-settings.ts';
import { isLooser, type Mode } from '../core/policy/modes.ts';
import { followMode, followStanding } from '../core/policy/overrides.ts';
import type { Clock } from '../core/ports.ts';
import { runningJobs } from '../core/session-jobs.ts';
import { settingsOf } from '../core/settings-of.ts';
import type { SessionLog } from '../core/storage-port.ts';
import { headOf } from '../core/window/prefix.ts';
import { type ClosingPart, closeAll, defectText } from './close-all.ts';
import { createTasks } from './loop/run-tool/tasks.ts';
import type { ToolRegistry } from './loop/run-tool/tool-registry.ts';
import type { SessionQuestions } from './mcp/server-questions.ts';
import { closeInterrupted, closeLeftAside } from './session/close-open.ts';
import { type CheckRule, SessionCommands } from './session/commands.ts';
import { endByDefect } from './session/end-by-defect.ts';
import {
  endedBy,
  HALTER_ENDED,
  INTERRUPTED,
  RunEnded,
  stoppedUnwritten,
  TIME_IS_UP,
  WORKER_GONE,
} from './session/ended.ts';
import { EventWriter } from './session/event-writer.ts';
import { goOn } from './session/go-on.ts';
import { Listeners } from './session/listeners.ts';
import { MessageQueue, type WaitingMessage } from './session/message-queue.ts';
import { type Prepared, SessionFacts } from './session/session-facts.ts';
import type { SessionHandle } from './session/session-handle.ts';
import { StreamedAnswer } from './session/streamed-answer.ts';
import type { HasToolState } from './session/tool-state.ts';
import { WorkInHand } from './session/work-in-hand.ts';
import { sharedAbort } from './shared-abort.ts';
import type { ResolveChanges } from './undo/resolve.ts';
import type { UndoCommand } from './undo.ts';

export type SessionOptions = {
  id: string;
  /** The real path of the workspace root. */
  workspace: string;
  model: string;
  /** The mode it begins with, also when it is opened again: `ask` where absent. */
  mode?: Mode;
  preset?: string;
  /** Kept with a new session, so that its prompts begin the same when it is resumed. */
  head?: PromptPrefix;
  /** What the log holds so far; empty for a new session. */
  events: readonly Event[];
  /** Up to this event they came with a backup. */
  copiedTo?: number | undefined;
  /** Absent: nothing is kept. */
  log?: SessionLog;
  limits: Limits;
  clock: Clock;
  registry: ToolRegistry;
  /** Carries out what the core wants. It reports back through `SessionHandle`. */
  runEffects(session: SessionHandle, effect: Effect): Promise<void>;
  /** What the command `compact` does. */
  compact?(session: SessionHandle, focus?: string): Promise<{ ok: true } | { ok: false; message: string }>;
  /** What the command `change_model` does before it is a fact. */
  changeModel?(name: string): Promise<Outcome<string, { message: string }>>;
  /** A run that broke off goes on, and what the person allowed in the session holds. Absent: it is brought to its end. */
  goesOn?: boolean;
  /** Hears everything from the beginning; `after` is the `seq` of the last event so far. */
  hears?: ((update: SessionUpdate, after: number) => void) | undefined;
  /** What is known of a call whose run was ended in its middle. */
  verdict?(entry: CallEntry, ended: RunEnded, log: () => readonly Event[]): Promise<string>;
  /** Whether a rule that came with an answer covers the call it answers. */
  checkRule?: CheckRule;
  /** Files that somebody else changed since the model saw them; it is told with the next message. */
  changedFiles?(path: readonly Event[]): Promise<NonNullable<EventOf<'user_message_added'>['files_changed']>>;
  /** What the command `undo` does. */
  undo?(session: SessionHandle, command: UndoCommand): Promise<Outcome<unknown>>;
  /** What the command `resolve_changes` does. */
  resolveChanges?(session: SessionHandle, command: ResolveChanges): Promise<Outcome<void>>;
  /** What the command `answer_server` does. */
  answerServer?: SessionQuestions['answer'];
  /** Everything is in order, and nothing runs. */
  onOpen?(session: SessionHandle): void;
  /** What ends with the session, in this order. */
  /** Closed while the log still takes events. */
  ending?: readonly ClosingPart[];
  closing?: readonly ClosingPart[];
};

/** A session in the hands of the process that runs it. */
export type OpenSession = SessionFace & {
  /** Resolves when nothing runs here: the run is over, or all that is left of it is an answer of the person. */
  settled(): Promise<'idle' | 'waiting'>;
  /** Lets go of the session without ending its run: what runs is let finish, and nothing more is begun. */
  leave(): Promise<void>;
};

/** Opens a session over a log: a new one begins, a run that broke off is brought to its end or goes on. */
export const createSession = async (options: SessionOptions): Promise<OpenSession> => {
  const session = new Session(options);
  try {
    await session.open();
  } catch (defect) {
    await session.release();
    throw defect;
  }
  return session.face();
};

class Session {
  readonly #options: SessionOptions;
  readonly #facts: SessionFacts;
  #loosenedFrom: Mode | undefined;
  #defect: { seq: number; thrown: unknown } | undefined;
  readonly #listeners = new Listeners();
  readonly #streamed = new StreamedAnswer((body) => this.#dispatch(body));
  readonly #work = new WorkInHand();
  readonly #waiting = new MessageQueue((change) => this.#listeners.publish({ type: 'queue_changed', ...change }));
  readonly #commands: SessionCommands;
  readonly #handle: SessionHandle;
  #queue: Promise<unknown> = Promise.resolve();
  #run = sharedAbort();
  readonly #writer: EventWriter | undefined;
  #acting = true;
  #ending: typeof INTERRUPTED | typeof TIME_IS_UP | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#facts = new SessionFacts(options.limits, options.events);
    const { hears } = options;
    if (hears) this.#listeners.add((update) => hears(update, this.#facts.events.at(-1)?.seq ?? 0));
    this.#writer = options.log && new EventWriter(options.log, (code, message) => this.#warn(code, message));
    this.#handle = this.#makeHandle();
    this.#commands = new SessionCommands({
      ...options,
      inside: this.#handle,
      waiting: this.#waiting,
      settle: () => this.#settle(),
      isIdle: () => this.#isIdle(),
      betweenRuns: (work) => this.#betweenRuns(work),
      abort: () => this.#run.abort(),
      taken: () => this.#queue,
      branch: (atSeq, anew, instead) => this.#branch(atSeq, anew, instead),
    });
  }

  async open(): Promise<void> {
    const { clock, copiedTo, events, goesOn, model, registry, limits } = this.#options;
    if (events.length === 0) await this.#begin();
    else {
      if (!goesOn) await this.#quietly(() => closeInterrupted(this.#handle, clock, this.#verdictOf(HALTER_ENDED)));
      if (this.#facts.state.model !== model) {
        const isBack = ownModelOf(events) === model;
        await this.#dispatch({ type: 'model_changed', model, ...(isBack ? { role: 'main' } : {}) });
      }
      await this.#keepLimits();
      await this.#keepHead();
      for (const job of runningJobs(events))
        await this.#dispatch({ type: 'job_changed', job: { ...job, state: 'ended' }, with_halter: true });
    }
    if (!goesOn || events.length === 0) await this.#beginMode();
    this.#options.onOpen?.(this.#handle);
    const act = (effect: Effect): void => this.#act(effect);
    const verdict = this.#verdictOf(WORKER_GONE);
    if (goesOn) await goOn(this.#handle, { limits, clock, copiedTo, registry, verdict, act });
  }

  face(): OpenSession & HasToolState {
    const standing = followStanding(this.#handle.openedAt);
    const tasks = createTasks(
      () => this.#facts.state.tasks,
      (task) => void this.#dispatch({ type: 'task_changed', task }),
    );
    return {
      toolState: () => ({
        tasks,
        standing: standing(this.#facts.path),
        known: knownFiles(this.#facts.path, { outside: true }),
        record: (call) => void this.#dispatch({ type: 'tool_called', ...call }),
      }),
      id: this.#options.id,
      loosenedFrom: this.#loosenedFrom,
      defect: () => this.#defect,
      send: (command) => this.#send(command),
      subscribe: (listener) => this.#listeners.add(listener),
      log: () => this.#facts.events,
      idle: () => (this.#isIdle() ? Promise.resolve() : this.#work.nextIdle()),
      close: (why) => {
        this.#closing ??= this.#close(why === 'limit' ? TIME_IS_UP : INTERRUPTED);
        return this.#closing;
      },
      settled: async () => {
        await this.#work.settled();
        return this.#facts.state.phase === 'idle' ? 'idle' : 'waiting';
      },
      leave: () => {
        this.#closing ??= this.#leave();
        return this.#closing;
      },
    };
  }

  #makeHandle(): SessionHandle {
    const { id, goesOn, events } = this.#options;
    return {
      id,
      openedAt: goesOn ? copiedUpTo(events) : (events.at(-1)?.seq ?? 0),
      state: () => this.#facts.state,
      log: () => this.#facts.events,
      path: () => this.#facts.path,
      dispatch: (body) => {
        const { reason } = this.#run.signal;
        return reason instanceof RunEnded
          ? this.#asEnded(body, reason).then((told) => this.#dispatch(told))
          : this.#dispatch(body);
      },
      // Behind is also a log that takes its next event at this moment.
      holds: async () => (await this.#writer?.holds()) !== false,
      progress: (update) => this.#publish(update),
      signal: () => this.#run.signal,
      takeSteering: () => this.#waiting.takeSteering(),
    };
  }

  async #begin(): Promise<void> {
    const { id, workspace, model, preset, limits, head } = this.#options;
    await this.#dispatch({
      type: 'session_started',
      version: SESSION_VERSION,
      session_id: id,
      workspace,
      model,
      ...(preset ? { preset } : {}),
      limits,
      ...(head ? { head } : {}),
    });
  }

  /** A mode of an earlier life does not hold, as its grants do not; the log says the one that does. */
  async #beginMode(): Promise<void> {
    const { mode = 'ask', events } = this.#options;
    const before = followMode()(this.#facts.events) ?? 'ask';
    if (before === mode) return;
    if (events.length > 0 && isLooser(mode, before)) this.#loosenedFrom = before;
    await this.#dispatch({ type: 'mode_changed', mode });
  }

  /** What was in flight when the run was ended, and whether it took effect, in place of the bare word that it was cancelled. */
  async #asEnded(body: EventBody, ended: RunEnded): Promise<EventBody> {
    if (body.type === 'model_failed' && body.code === 'cancelled')
      return { ...body, message: `${ended.what} before the model answered.` };
    if (body.type !== 'tool_finished') return body;
    const entry = this.#facts.state.entries.find(({ call }) => call.id === body.tool_call_id);
    const { metadata, ...result } = body.result;
    if (result.success || metadata.reason !== 'cancelled' || entry === undefined) return body;
    const error_message = await this.#verdictOf(ended)(entry);
    return { ...body, result: { ...result, error_message, metadata: { ...metadata, reason: 'interrupted' } } };
  }

  #verdictOf(ended: RunEnded): (entry: CallEntry) => Promise<string> {
    return async (entry) =>
      this.#options.verdict?.(entry, ended, this.#handle.log) ??
      `${ended.what} in the middle of this. Look before you do it again.`;
  }

  async #send(command: Command): Promise<{ ok: true } | { ok: false; message: string }> {
    if (this.#closing) return { ok: false, message: 'This session is closed.' };
    try {
      return await this.#commands.take(command);
    } catch (error) {
      return { ok: false, message: `This failed by a defect: ${defectText(error)}` };
    }
  }

  // Events: one at a time, in the order in which they were dispatched.

  #dispatch(body: EventBody | (() => Promise<EventBody>)): Promise<boolean> {
    this.#work.begin();
    const done = this.#takeAfter(this.#queue, body);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #takeAfter(before: Promise<unknown>, body: EventBody | (() => Promise<EventBody>)): Promise<boolean> {
    try {
      await before;
      return await this.#take(typeof body === 'function' ? await body() : body);
    } finally {
      this.#work.end();
      this.#settle();
    }
  }

  async #take(body: EventBody): Promise<boolean> {
    const prepared = this.#facts.prepare(body, this.#options.clock.now());
    if (prepared === undefined) return false;
    const wasBehind = this.#writer?.isBehind === true;
    await this.#writer?.write(prepared.event);
    this.#apply(prepared);
    const isBehind = this.#writer?.isBehind === true;
    // The conversation goes on in memory so that nothing on the screen is lost, but nothing more is started.
    const begins = body.type === 'user_message_added';
    if (isBehind && (begins || !wasBehind) && this.#facts.state.phase !== 'idle') await this.#stopUnwritten();
    return true;
  }

  #apply(prepared: Prepared): void {
    const effects = this.#facts.apply(prepared);
    this.#publish(prepared.event);
    if (this.#acting) for (const effect of effects) this.#act(effect, prepared.event);
  }

  #publish(update: SessionUpdate): void {
    this.#streamed.follow(update);
    this.#listeners.publish(update);
  }

  async #stopUnwritten(): Promise<void> {
    const now = this.#options.clock.now();
    const [behind, saved] = stoppedUnwritten(this.#writer?.problem).map((body) => this.#facts.prepare(body, now));
    if (behind === undefined || saved === undefined) return;
    const isSaved = (await this.#writer?.write(behind.event, saved.event)) === saved.event;
    this.#apply(isSaved ? saved : behind);
  }

  // Effects: what the core wants done.

  #act(effect: Effect, cause?: Event): void {
    if (effect.type === 'abort_work') {
      const why = this.#ending ?? cause;
      this.#run.abort(why && endedBy(why));
      return;
    }
    this.#work.begin();
    void this.#carryOut(effect);
  }

  /** Never rejects: a defect ends the run and not the program. */
  async #carryOut(effect: Effect): Promise<void> {
    try {
      await this.#options.runEffects(this.#handle, effect);
    } catch (defect) {
      try {
        await this.#streamed.write();
        this.#defect = await endByDefect(this.#handle, this.#options.clock, effect, defect);
      } catch (second) {
        this.#facts.forceIdle();
        this.#warn('run_lost', `The run was ended by a defect: ${defectText(defect)} (${defectText(second)})`);
      }
    } finally {
      this.#work.end();
      this.#settle();
    }
  }

  #warn(code: string, message: string): void {
    this.#listeners.publish({ type: 'warning', code, message });
  }

  // What runs, and what comes next.

  #isIdle(): boolean {
    return this.#facts.state.phase === 'idle' && this.#work.isNone && !this.#waiting.isReady;
  }

  #settle(): void {
    if (this.#facts.state.phase === 'idle' && this.#work.isNone && this.#waiting.isReady) {
      const next = this.#waiting.next() as WaitingMessage;
      this.#run = sharedAbort();
      this.#dispatch(() => this.#asBegun(next)).catch((error: unknown) =>
        this.#warn('message_not_taken', `The message was not taken because of a defect: ${defectText(error)}`),
      );
    } else if (this.#isIdle()) this.#work.releaseIdle();
    this.#work.releaseSettled();
    this.#waiting.tell();
  }

  /** With what somebody else did to files meanwhile. */
  readonly #asBegun = async (message: WaitingMessage): Promise<EventBody> => {
    const changed = (await this.#options.changedFiles?.(this.#facts.path)) ?? [];
    return { type: 'user_message_added', ...message, ...(changed.length > 0 ? { files_changed: changed } : {}) };
  };

  /** Work that the person asks for while no run goes on: what they say meanwhile waits for its end. */
  async #betweenRuns<T>(work: () => Promise<T>): Promise<T> {
    this.#run = sharedAbort();
    this.#work.begin();
    try {
      return await work();
    } finally {
      this.#work.end();
      this.#settle();
    }
  }

  /** What these events would start is not started, and nothing else is taken up meanwhile. */
  async #quietly(work: () => Promise<void>): Promise<void> {
    this.#acting = false;
    this.#work.begin();
    try {
      await work();
    } finally {
      this.#work.end();
      this.#acting = true;
    }
    this.#settle();
  }

  /** The limits of today hold, whatever the log of another day says, but for those that the person set for this session. */
  async #keepLimits(): Promise<void> {
    const limits = limitsWith(this.#options.limits, settingsOf(this.#facts.events));
    if (!sameLimits(this.#facts.state.limits, limits)) await this.#dispatch({ type: 'limits_changed', limits });
  }

  /** A call from outside began this session, and no prompt was sent yet: what its prompts begin with stays from now on. */
  async #keepHead(): Promise<void> {
    const { head, events } = this.#options;
    const isAnswered = events.some(({ type }) => type === 'assistant_message_added');
    if (head && !isAnswered && headOf(events) === undefined) await this.#dispatch({ type: 'prompt_begun', head });
  }

  async #branch(atSeq: number, anew: boolean, instead?: AssistantMessage): Promise<void> {
    this.#run = sharedAbort();
    const { model } = this.#facts.state;
    await this.#dispatch({ type: 'branch_selected', at_seq: atSeq, model, ...(anew ? { run: true } : {}) });
    if (instead) await this.#dispatch({ type: 'assistant_message_added', message: instead });
    else if (!anew) await this.#quietly(() => closeLeftAside(this.#handle, this.#options.clock));
    await this.#keepLimits();
    // What was taken back on disk since then is told on this branch as well.
    for (const undone of undoneElsewhere(this.#facts.events, this.#facts.path)) await this.#dispatch(undone);
  }

  // The end. Whoever calls it a second time waits for the first.

  async #close(why: typeof INTERRUPTED | typeof TIME_IS_UP): Promise<void> {
    // Also where nothing runs yet: a message that was just taken begins its run in a moment.
    this.#ending = why;
    await this.#commands.interrupt(why);
    if (!this.#isIdle()) await this.#work.nextIdle();
    await this.release();
  }

  async #leave(): Promise<void> {
    this.#acting = false;
    this.#waiting.drop();
    await this.#work.settled();
    await this.release();
  }

  async release(): Promise<void> {
    const { ending = [], closing = [] } = this.#options;
    const problems = await closeAll([
      ...ending,
      ['what was still to be noted', () => this.#queue],
      ['the log of the session', () => this.#writer?.close()],
      ...closing,
    ]);
    for (const problem of problems) this.#warn('close_failed', problem);
  }
}

const sameLimits = (one: Limits, other: Limits): boolean =>
  (Object.keys(other) as (keyof Limits)[]).every((key) => one[key] === other[key]);

/** What was allowed in the session that this one is a copy of was not allowed here. */
const copiedUpTo = ([first]: readonly Event[]): number =>
  (first?.type === 'session_started' ? first.forked_from?.seq : undefined) ?? 0;
