/** The calls that ran, with what each of them left behind in files. */
import type { Event, UndoOutcome } from '../events.ts';
import type { ToolCall } from '../message.ts';
import type { Preview } from '../tool.ts';
import type { ToolResult } from '../tool-result.ts';

/**
 * What a call did to which file, which command it ran, or what it looked for. `isPart`: it may have shown a part of the file
 * alone.
 */
export type CallTrace = { kind: 'read' | 'changed' | 'ran' | 'looked_for'; what: string; isPart?: true };
export type TraceOf = (call: ToolCall) => CallTrace | undefined;

export type Traced = {
  seq: number;
  call: ToolCall;
  trace: CallTrace;
  result: ToolResult;
  /** What it changed, as it was shown beforehand. */
  diff?: string | undefined;
};

/**
 * In the order of their starts. One that failed stands for nothing done, unless it ran or looked for something, and neither
 * does what was taken back.
 */
export const tracedCalls = (log: readonly Event[], trace: TraceOf): Traced[] => {
  const started = new Map<string, Omit<Traced, 'result'> & { result?: ToolResult }>();
  const undone = undoneChanges(log);
  const undoneCalls = new Set<string>();
  const calls = new Map<string, ToolCall>();
  const previews = new Map<string, Preview>();
  for (const event of log) {
    if (event.type === 'assistant_message_added') for (const call of event.message.tool_calls) calls.set(call.id, call);
    else if ((event.type === 'permission_requested' || event.type === 'tool_started') && event.preview)
      previews.set(event.tool_call_id, event.preview);
    if (event.type === 'tool_started') {
      const call = calls.get(event.tool_call_id);
      const traced = call && trace(call);
      const diff = previews.get(event.tool_call_id)?.diff;
      if (call && traced) started.set(call.id, { seq: event.seq, call, trace: traced, diff });
    } else if (event.type === 'tool_finished') {
      const known = started.get(event.tool_call_id);
      if (known) known.result = event.result;
    } else if (event.type === 'change_recorded' && undone.has(event.seq)) undoneCalls.add(event.tool_call_id);
  }
  return [...started.values()].filter((entry): entry is Traced => {
    const { trace: of, result, call } = entry;
    const isDone = result !== undefined && (result.success || of.kind === 'ran' || of.kind === 'looked_for');
    return isDone && !(of.kind === 'changed' && undoneCalls.has(call.id));
  });
};

/** The changes that do not stand any more, by their place in the log. */
export const undoneChanges = (log: readonly Event[]): Set<number> =>
  new Set(log.flatMap((event) => (event.type === 'change_undone' && !STAYS.has(event.how) ? [event.change_seq] : [])));
/** A change that the person left, or that was taken back in part or beside the file alone, still stands. */
const STAYS: ReadonlySet<UndoOutcome> = new Set(['left', 'partly', 'beside']);
