/**
 * The tool executor (H11): an explicit state machine over the calls of one assistant message. It says what to do and
 * does nothing itself. `step` is built on the pure functions here.
 *
 * Calls are checked in turn. Calls that only read then run together; a call that writes or starts a process is
 * `exclusive`: it is asked about and run after everything before it has ended, so that what the person was shown is
 * still what happens. A call that takes an earlier call's result is checked when that result is there.
 */
import type { PermissionDecision, PolicyVerdict } from './events.ts';
import type { ToolCall } from './message.ts';
import { allowsCall } from './permission-decision.ts';
import { referencesIn } from './tool/result-reference.ts';

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
  if (verdict === 'allow') return change(entries, id, { exclusive, accepted: true, status: 'allowed' });
  if (verdict === 'ask') return change(entries, id, { exclusive, accepted: true, status: 'asking' });
  // A denial, and every value that is no verdict.
  return change(entries, id, { exclusive, accepted: true, status: 'asking', awaited: 'finish' });
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
  if (entry?.status === 'running') return change(entries, id, {});
  if (entry?.status !== 'asking' || entry.awaited !== 'permission') return [...entries];
  if (!allowsCall(decision)) return change(entries, id, { status: 'asking', awaited: 'finish' });
  const answered = change(entries, id, { status: 'allowed' });
  if (decision === 'allow_once') return answered;
  return checkedAgain(answered);
};

/** What a person decides while calls wait to be asked about (a rule, another mode) may answer them. */
export const checkedAgain = (entries: readonly CallEntry[]): CallEntry[] =>
  entries.map((entry) =>
    entry.status === 'asking' && entry.awaited === undefined ? { ...entry, status: 'unchecked' } : entry,
  );

/** A call that runs asks about what it did: it goes on with the answer. */
export const askedWhileRunning = (entries: readonly CallEntry[], id: string): CallEntry[] =>
  find(entries, id)?.status === 'running' ? change(entries, id, { awaited: 'permission' }) : [...entries];

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
