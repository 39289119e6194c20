/**
 * One conversation: takes commands, appends events, steps the core and hands what it wants done to `run-effects`.
 * The order is fixed: append, step, publish, act. A crash loses at most what was running, and `open` closes that.
 */

import { undoneElsewhere } from '../core/changes.ts';
import type { Effect } from '../core/effects.ts';
import {
  type Event,
  type EventBody,
  type PromptPrefix,
  SESSION_VERSION,
  type SessionFace,
  type SessionUpdate,
} from '../core/events.ts';
import type { CallEntry } from '../core/executor.ts';
import type { Limits } from '../core/limits.ts';
import type { Outcome } from '../core/outcome.ts';
import type { Clock } from '../core/ports.ts';
import { activePath } from '../core/session-tree.ts';
import { accepts, initialState } from '../core/state.ts';
import { fold, step, stepBranch } from '../core/step.ts';
import type { SessionLog } from '../core/storage-port.ts';
import type { ToolRegistry } from './loop/run-tool/tool-registry.ts';
import type { SessionQuestions } from './mcp/server-questions.ts';
import { closeInterrupted, closeLeftAside } from './session/close-open.ts';
import { type CheckRule, createCommands, type WaitingMessage } from './session/commands.ts';
import { goOn } from './session/go-on.ts';
import type { SessionHandle } from './session/session-handle.ts';
import type { OnChange, Undone } from './undo.ts';

export type SessionOptions = {
  id: string;
  /** The real path of the workspace root. */
  workspace: string;
  model: string;
  preset?: string;
  /** Kept with a new session, so that its prompts begin the same when it is resumed. */
  head?: PromptPrefix;
  /** What the log holds so far; empty for a new session. */
  events: readonly Event[];
  /** Absent: nothing is kept. */
  log?: SessionLog;
  limits: Limits;
  clock: Clock;
  registry: ToolRegistry;
  /** Carries out what the core wants. It reports back through `SessionHandle`. */
  runEffects(session: SessionHandle, effect: Effect): Promise<void>;
  /** What the command `compact` does. */
  compact?(session: SessionHandle): Promise<{ ok: true } | { ok: false; message: string }>;
  /** What the command `change_model` does before it is a fact. */
  changeModel?(name: string): Promise<Outcome<string, { message: string }>>;
  /** A run that broke off goes on, and what the person allowed in the session holds. Absent: it is brought to its end. */
  goesOn?: boolean;
  /** What is known of a call that halter was ended in. */
  verdict?(entry: CallEntry, log: () => readonly Event[]): Promise<string>;
  /** Whether a rule that came with an answer covers the call it answers. */
  checkRule?: CheckRule;
  /** What the command `undo` does. */
  undo?(session: SessionHandle, onChange: OnChange | undefined): Promise<Outcome<Undone>>;
  /** What the command `answer_server` does. */
  answerServer?: SessionQuestions['answer'];
  /** Everything is in order, and nothing runs. */
  onOpen?(session: SessionHandle): void;
  onClose?(): Promise<void>;
};

/** A session in the hands of the process that runs it. */
export type OpenSession = SessionFace & {
  /** Resolves when nothing runs here: the run is over, or all that is left of it is an answer of the person. */
  settled(): Promise<'idle' | 'waiting'>;
  /** Lets go of the session without ending its run: what runs is let finish, and nothing more is begun. */
  leave(): Promise<void>;
};

export const createSession = async (options: SessionOptions): Promise<OpenSession> => {
  const events: Event[] = [...options.events];
  let path: Event[] = [...activePath(events)];
  let state = events.length > 0 ? fold(options.limits, events) : initialState(options.limits);
  const listeners = new Set<(update: SessionUpdate) => void>();
  const waiting: WaitingMessage[] = [];
  const idleWaiters: (() => void)[] = [];
  const settledWaiters: (() => void)[] = [];
  let queue: Promise<unknown> = Promise.resolve();
  let run = new AbortController();
  let working = 0;
  let writable = true;
  let closed = false;
  let acting = true;

  const publish = (update: SessionUpdate): void => {
    for (const listener of listeners) listener(update);
  };
  const isIdle = (): boolean => state.phase === 'idle' && working === 0 && waiting.length === 0;
  const settle = (): void => {
    if (state.phase === 'idle' && working === 0 && waiting.length > 0) {
      const next = waiting.shift() as WaitingMessage;
      run = new AbortController();
      void dispatch({ type: 'user_message_added', ...next });
    } else if (isIdle()) {
      for (const resolve of idleWaiters.splice(0)) resolve();
    }
    if (working === 0) for (const resolve of settledWaiters.splice(0)) resolve();
  };
  const act = (effect: Effect): void => {
    if (effect.type === 'abort_work') {
      run.abort();
      return;
    }
    working += 1;
    void options.runEffects(inside, effect).then(() => {
      working -= 1;
      settle();
    });
  };
  const apply = (event: Event): void => {
    events.push(event);
    if (event.type === 'branch_selected') path = [...activePath(events)];
    else path.push(event);
    const next = event.type === 'branch_selected' ? stepBranch(options.limits, path) : step(state, event);
    state = next.state;
    publish(event);
    if (acting) for (const effect of next.effects) act(effect);
  };
  const keep = async (log: SessionLog, event: Event): Promise<void> => {
    const kept = await log.append(event);
    if (kept.ok) return;
    // The conversation goes on in memory so that nothing on the screen is lost, but nothing more is started.
    writable = false;
    publish({
      type: 'warning',
      code: 'session_not_written',
      message: `This session can no longer be saved: ${kept.error.message}`,
    });
  };
  const dispatch = (body: EventBody): Promise<boolean> => {
    working += 1;
    const done = takeAfter(queue, body);
    queue = done;
    return done;
  };
  const takeAfter = async (before: Promise<unknown>, body: EventBody): Promise<boolean> => {
    try {
      await before;
      return await take(body);
    } finally {
      working -= 1;
      settle();
    }
  };
  /** Damaged lines of a log are left out, so the number of events says nothing about their numbers. */
  const nextSeq = (): number => (events.at(-1)?.seq ?? 0) + 1;
  const take = async (body: EventBody): Promise<boolean> => {
    if (!accepts(state, body)) return false;
    const event: Event = { seq: nextSeq(), at: options.clock.now(), ...body };
    const couldWrite = writable;
    if (options.log !== undefined && writable) await keep(options.log, event);
    apply(event);
    if (couldWrite && !writable && state.phase !== 'idle') {
      apply({
        seq: nextSeq(),
        at: options.clock.now(),
        type: 'run_stopped',
        reason: 'error',
        name: 'SessionNotWritten',
        message: 'The session file cannot be written, so nothing more was started. Free some space and start again.',
      });
    }
    return true;
  };

  const inside: SessionHandle = {
    id: options.id,
    openedAt: options.goesOn ? copiedUpTo(options.events) : (options.events.at(-1)?.seq ?? 0),
    state: () => state,
    log: () => events,
    path: () => path,
    dispatch,
    progress: publish,
    signal: () => run.signal,
  };
  const verdict =
    options.verdict ?? (async () => 'halter was ended in the middle of this. Look before you do it again.');
  const judge = (entry: CallEntry): Promise<string> => verdict(entry, inside.log);
  /** What these events would start is not started, and nothing else is taken up meanwhile. */
  const quietly = async (work: () => Promise<void>): Promise<void> => {
    acting = false;
    working += 1;
    await work();
    working -= 1;
    acting = true;
    settle();
  };
  /** The limits of today hold, whatever the log of another day says. */
  const keepLimits = async (): Promise<void> => {
    if (sameLimits(state.limits, options.limits)) return;
    await dispatch({ type: 'limits_changed', limits: options.limits });
  };
  const commands = createCommands({
    registry: options.registry,
    ...(options.checkRule ? { checkRule: options.checkRule } : {}),
    inside,
    waiting,
    settle,
    limits: options.limits,
    isIdle,
    taken: () => queue,
    async branch(atSeq, anew) {
      run = new AbortController();
      const { model } = state;
      await dispatch({ type: 'branch_selected', at_seq: atSeq, model, ...(anew ? { run: true } : {}) });
      if (!anew) await quietly(() => closeLeftAside(inside, options.clock));
      await keepLimits();
      // What was taken back on disk since then is told on this branch as well.
      for (const undone of undoneElsewhere(events, path)) await dispatch(undone);
    },
    ...(options.compact ? { compact: options.compact } : {}),
    ...(options.changeModel ? { changeModel: options.changeModel } : {}),
    ...(options.undo ? { undo: options.undo } : {}),
    ...(options.answerServer ? { answerServer: options.answerServer } : {}),
  });

  if (events.length === 0) {
    await dispatch({
      type: 'session_started',
      version: SESSION_VERSION,
      session_id: options.id,
      workspace: options.workspace,
      model: options.model,
      ...(options.preset ? { preset: options.preset } : {}),
      limits: options.limits,
      ...(options.head ? { head: options.head } : {}),
    });
  } else {
    if (!options.goesOn) await quietly(() => closeInterrupted(inside, options.clock, judge));
    if (state.model !== options.model) await dispatch({ type: 'model_changed', model: options.model });
    await keepLimits();
  }
  options.onOpen?.(inside);
  if (options.goesOn) await goOn(inside, { ...options, verdict: judge, act });
  const settled = (): Promise<void> =>
    working === 0 ? Promise.resolve() : new Promise((resolve) => settledWaiters.push(resolve));
  const release = async (): Promise<void> => {
    await options.log?.close();
    await options.onClose?.();
  };

  return {
    id: options.id,
    send: async (command) => (closed ? { ok: false, message: 'This session is closed.' } : commands(command)),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    log: () => events,
    idle: () => (isIdle() ? Promise.resolve() : new Promise((resolve) => idleWaiters.push(resolve))),
    async close() {
      if (closed) return;
      if (state.phase !== 'idle') await commands({ type: 'cancel' });
      closed = true;
      if (!isIdle()) await new Promise<void>((resolve) => idleWaiters.push(resolve));
      await release();
    },
    async settled() {
      await settled();
      return state.phase === 'idle' ? 'idle' : 'waiting';
    },
    async leave() {
      if (closed) return;
      closed = true;
      acting = false;
      waiting.length = 0;
      await settled();
      await release();
    },
  };
};

const sameLimits = (one: Limits, other: Limits): boolean =>
  (Object.keys(other) as (keyof Limits)[]).every((key) => one[key] === other[key]);

/** What was allowed in the session that this one is a copy of was not allowed here. */
const copiedUpTo = ([first]: readonly Event[]): number =>
  (first?.type === 'session_started' ? first.forked_from?.seq : undefined) ?? 0;
