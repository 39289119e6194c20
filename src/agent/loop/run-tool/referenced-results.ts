/** The results that a call takes by reference (E14): found in the log, whole where they were put aside for their length. */
import { callArguments } from '../../../core/call-arguments.ts';
import type { Event } from '../../../core/events.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { ToolCall } from '../../../core/message.ts';
import { failure, type Outcome, succeed } from '../../../core/outcome.ts';
import { fillReferences, referencesIn } from '../../../core/tool/result-reference.ts';
import type { ToolResult } from '../../../core/tool-result.ts';

/** The whole text of a result that the log holds the beginning of. */
export type WholeResult = (callId: string) => Promise<string | undefined>;

/** The call's arguments as they are to be validated, or what was wrong with a reference in them. */
export const withReferencedResults = async (
  log: readonly Event[],
  call: ToolCall,
  whole?: WholeResult,
): Promise<Outcome<JsonObject>> => {
  const wanted = referencesIn(call);
  const args = callArguments(call);
  if (wanted.length === 0) return succeed(args);
  const earlier = earlierCalls(log, call.id);
  const texts = new Map<string, Outcome<string>>();
  for (const id of wanted) texts.set(id, await textOf(id, earlier, whole));
  return fillReferences({ ...call, arguments: args }, texts);
};

type EarlierCall = { id: string; name: string; result: ToolResult | undefined };

const earlierCalls = (log: readonly Event[], before: string): EarlierCall[] => {
  const results = new Map<string, ToolResult>();
  for (const event of log) {
    if (event.type === 'tool_finished' || event.type === 'arguments_rejected') {
      results.set(event.tool_call_id, event.result);
    }
  }
  const calls = log.flatMap((event) => (event.type === 'assistant_message_added' ? event.message.tool_calls : []));
  const at = calls.findIndex(({ id }) => id === before);
  return calls.slice(0, at < 0 ? calls.length : at).map(({ id, name }) => ({ id, name, result: results.get(id) }));
};

/** Many chat templates do not show a model its ids, so `call_3` is also the third call of the conversation. */
const findCall = (id: string, earlier: readonly EarlierCall[]): EarlierCall | undefined => {
  const known = earlier.find((entry) => entry.id === id);
  const number = known ? undefined : /^call_([1-9]\d{0,5})$/.exec(id)?.[1];
  return number === undefined ? known : earlier[Number(number) - 1];
};

const textOf = async (id: string, earlier: readonly EarlierCall[], whole?: WholeResult): Promise<Outcome<string>> => {
  const call = findCall(id, earlier);
  if (call === undefined) {
    const names = earlier.slice(-5).map((entry) => `${entry.id} (${entry.name})`);
    return failure('not_found', `there is no earlier result ${id}; there is ${names.join(', ') || 'none yet'}`);
  }
  const data = call.result?.data;
  if (call.result === undefined || !call.result.success || data === null || data === undefined) {
    return failure('not_found', `${call.id} (${call.name}) failed, so it has no result to take`);
  }
  return succeed((call.result.metadata.truncated === undefined ? undefined : await whole?.(call.id)) ?? data);
};
