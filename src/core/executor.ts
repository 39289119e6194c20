/**
 * The tool executor (H11): an explicit state machine over the calls of one assistant message. It says what to do and
 * does nothing itself. The pure functions here are what `step` is built on; `createToolExecutor` at the end is the same
 * machine behind Local Harness's `tick()`.
 *
 * Calls are checked in turn. Calls that only read then run together; a call that writes or starts a process is
 * `exclusive`: it is asked about and run after everything before it has ended, so that what the person was shown is
 * still what happens. A call that takes an earlier call's result is checked when that result is there.
 */
import type { PermissionDecision, PolicyVerdict } from './events.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import type { ToolCall } from './message.ts';
import { referencesIn } from './tool/result-reference.ts';
import type { ToolResult } from './tool-result.ts';

export type ExecutorPhase = 'idle' | 'evaluating_policy' | 'awaiting_permission' | 'executing' | 'completed';

/** What was asked of the outside for an entry and is not answered yet. */
export type Awaited = 'policy' | 'permission' | 'start' | 'finish';

export type CallEntry = {
  readonly call: ToolCall;
  readonly status: 'unchecked' | 'asking' | 'allowed' | 'running' | 'finished';
  readonly exclusive: boolean;
  /** The arguments were accepted, whatever came of the call. */
  readonly accepted: boolean;
  readonly awaited?: Awaited;
  /** Earlier calls of the same message whose results are its arguments (E14). */
  readonly after?: readonly string[];
};

export type Wanted =
  | { type: 'evaluate'; call: ToolCall }
  | { type: 'ask'; call: ToolCall }
  | { type: 'execute'; call: ToolCall };

export const enterCalls = (calls: readonly ToolCall[]): CallEntry[] =>
  calls.map((call, index) => {
    const earlier = new Set(calls.slice(0, index).map(({ id }) => id));
    const after = referencesIn(call).filter((id) => earlier.has(id));
    const entry = { call, status: 'unchecked', exclusive: false, accepted: false } as const;
    return after.length > 0 ? { ...entry, after } : entry;
  });

/** Only earlier calls are waited for, so nothing waits for itself. */
const waits = (entries: readonly CallEntry[], entry: CallEntry): boolean =>
  entry.status === 'unchecked' &&
  (entry.after ?? []).some((id) => entries.some((other) => other.call.id === id && other.status !== 'finished'));

/** The calls before the first one that waits for a result; it and those behind it come later. */
const unheld = (entries: readonly CallEntry[]): readonly CallEntry[] => {
  const at = entries.findIndex((entry) => waits(entries, entry));
  return at < 0 ? entries : entries.slice(0, at);
};

export const executorPhase = (entries: readonly CallEntry[]): ExecutorPhase => {
  if (entries.length === 0) return 'idle';
  if (entries.every((entry) => entry.status === 'finished')) return 'completed';
  const present = unheld(entries);
  if (present.some((entry) => entry.status === 'unchecked')) return 'evaluating_policy';
  const batch = currentBatch(present);
  return batch.some((entry) => entry.status === 'asking' && entry.awaited !== 'finish')
    ? 'awaiting_permission'
    : 'executing';
};

/** The unfinished calls that may be worked on together now. */
const currentBatch = (entries: readonly CallEntry[]): CallEntry[] => {
  const batch: CallEntry[] = [];
  for (const entry of entries) {
    if (entry.status === 'finished') continue;
    if (entry.exclusive) return batch.length === 0 ? [entry] : batch;
    batch.push(entry);
  }
  return batch;
};

const change = (entries: readonly CallEntry[], id: string, next: Partial<CallEntry>): CallEntry[] =>
  entries.map((entry) => (entry.call.id === id ? { ...entry, awaited: undefined, ...next } : entry));

const find = (entries: readonly CallEntry[], id: string): CallEntry | undefined =>
  entries.find((entry) => entry.call.id === id);

export const policyEvaluated = (
  entries: readonly CallEntry[],
  id: string,
  verdict: PolicyVerdict,
  exclusive: boolean,
): CallEntry[] => {
  if (find(entries, id)?.status !== 'unchecked') return [...entries];
  if (verdict === 'deny')
    return change(entries, id, { exclusive, accepted: true, status: 'asking', awaited: 'finish' });
  return change(entries, id, { exclusive, accepted: true, status: verdict === 'ask' ? 'asking' : 'allowed' });
};

/**
 * A yes for the session may answer calls that still wait to be asked about, so those are checked again.
 * Only the call that the person was shown can be answered.
 */
export const permissionResolved = (
  entries: readonly CallEntry[],
  id: string,
  decision: PermissionDecision,
): CallEntry[] => {
  const entry = find(entries, id);
  if (entry?.status !== 'asking' || entry.awaited !== 'permission') return [...entries];
  if (decision === 'deny') return change(entries, id, { status: 'asking', awaited: 'finish' });
  const answered = change(entries, id, { status: 'allowed' });
  if (decision === 'allow_once') return answered;
  return answered.map((other) =>
    other.status === 'asking' && other.awaited === undefined ? { ...other, status: 'unchecked' } : other,
  );
};

export const callStarted = (entries: readonly CallEntry[], id: string): CallEntry[] =>
  find(entries, id)?.status === 'allowed' ? change(entries, id, { status: 'running' }) : [...entries];

export const callFinished = (entries: readonly CallEntry[], id: string): CallEntry[] =>
  change(entries, id, { status: 'finished' });

/** What has to happen next, and the entries with that noted, so that it is asked for once. */
export const advance = (entries: readonly CallEntry[]): { entries: readonly CallEntry[]; wanted: Wanted[] } => {
  const present = unheld(entries);
  const unchecked = present.find((entry) => entry.status === 'unchecked');
  if (unchecked !== undefined) {
    if (unchecked.awaited !== undefined) return { entries, wanted: [] };
    return {
      entries: change(entries, unchecked.call.id, { awaited: 'policy' }),
      wanted: [{ type: 'evaluate', call: unchecked.call }],
    };
  }
  const batch = currentBatch(present);
  const asking = batch.find((entry) => entry.status === 'asking' && entry.awaited !== 'finish');
  if (asking !== undefined) {
    if (asking.awaited !== undefined) return { entries, wanted: [] };
    return {
      entries: change(entries, asking.call.id, { awaited: 'permission' }),
      wanted: [{ type: 'ask', call: asking.call }],
    };
  }
  const startable = new Set(batch.filter((entry) => entry.status === 'allowed' && entry.awaited === undefined));
  if (startable.size === 0) return { entries, wanted: [] };
  return {
    entries: entries.map((entry) => (startable.has(entry) ? { ...entry, awaited: 'start' } : entry)),
    wanted: [...startable].map((entry) => ({ type: 'execute', call: entry.call })),
  };
};

export type TickResult =
  | 'no_action'
  | 'show_permission_prompt'
  | 'render_requested'
  | 'iteration_complete'
  | 'iteration_limit_reached';

export type ToolExecutorOptions = {
  /** Pure and immediate: the rules decide, nothing is asked here. */
  policy(call: ToolCall): PolicyVerdict;
  /** The usual ones where absent. */
  limits?: { iterations?: number; toolCallsPerIteration?: number };
  /** Whether a call must run by itself; by default none has to. */
  exclusive?(call: ToolCall): boolean;
};

export type FinishedCall = { call: ToolCall; result?: ToolResult; ended_by: 'tool' | 'denied' | 'limit' };

export type ToolExecutor = {
  readonly state: ExecutorPhase;
  /** Takes the calls of one assistant message. Throws while another message's calls are still open: that is a bug. */
  start(calls: readonly ToolCall[]): void;
  /** Moves on as far as possible without waiting, and says what the app has to do. Never blocks. */
  tick(): TickResult;
  hasPendingWork(): boolean;
  /** Answers the call that `current()` names. */
  setPermissionResponse(decision: PermissionDecision): void;
  toolFinished(id: string, result: ToolResult): void;
  /** The call to ask about. */
  current(): ToolCall | undefined;
  /** The calls to run now, in their order. */
  runnable(): ToolCall[];
  /** What came of the calls, in call order. */
  results(): FinishedCall[];
  /** A new user message: iterations count from the start again. */
  reset(): void;
};

export const createToolExecutor = (options: ToolExecutorOptions): ToolExecutor => {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  let entries: readonly CallEntry[] = [];
  let iterations = 0;
  let reported = true;
  const finished = new Map<string, FinishedCall>();
  const grantedTools = new Set<string>();

  const end = (call: ToolCall, ended_by: FinishedCall['ended_by'], result?: ToolResult): void => {
    entries = callFinished(entries, call.id);
    finished.set(call.id, { call, ended_by, ...(result ? { result } : {}) });
  };
  const evaluate = (call: ToolCall): void => {
    const verdict = options.policy(call);
    const granted = verdict === 'ask' && grantedTools.has(call.name) ? 'allow' : verdict;
    entries = policyEvaluated(entries, call.id, granted, options.exclusive?.(call) ?? false);
    if (granted === 'deny') end(call, 'denied');
  };
  /** Each turn checks one call, asks once or starts once, so the loop ends. */
  const settle = (): TickResult | undefined => {
    for (;;) {
      const next = advance(entries);
      entries = next.entries;
      const first = next.wanted[0];
      if (first === undefined) return undefined;
      if (first.type === 'ask') return 'show_permission_prompt';
      if (first.type === 'execute') {
        for (const { call } of next.wanted) entries = callStarted(entries, call.id);
        return 'render_requested';
      }
      evaluate(first.call);
    }
  };

  return {
    get state() {
      return executorPhase(entries);
    },
    start(calls) {
      if (entries.some((entry) => entry.status !== 'finished')) throw new Error('start() while calls are still open');
      finished.clear();
      entries = enterCalls(calls);
      reported = false;
      for (const call of calls.slice(limits.toolCallsPerIteration)) end(call, 'limit');
    },
    tick() {
      const action = settle();
      if (action !== undefined) return action;
      if (executorPhase(entries) !== 'completed' || reported) return 'no_action';
      reported = true;
      iterations += 1;
      return iterations >= limits.iterations ? 'iteration_limit_reached' : 'iteration_complete';
    },
    hasPendingWork: () => entries.length > 0 && !reported,
    setPermissionResponse(decision) {
      const asked = entries.find((entry) => entry.awaited === 'permission');
      if (asked === undefined) return;
      if (decision === 'session' || decision === 'remember') grantedTools.add(asked.call.name);
      entries = permissionResolved(entries, asked.call.id, decision);
      if (decision === 'deny') end(asked.call, 'denied');
    },
    toolFinished(id, result) {
      const entry = find(entries, id);
      if (entry?.status === 'running') end(entry.call, 'tool', result);
    },
    current: () => entries.find((entry) => entry.awaited === 'permission')?.call,
    runnable: () => entries.filter((entry) => entry.status === 'running').map((entry) => entry.call),
    results: () => entries.flatMap((entry) => finished.get(entry.call.id) ?? []),
    reset() {
      iterations = 0;
    },
  };
};
