/** Where a call has to come: an answer that is nothing but its arguments. */
import type { ToolRegistry } from '../agent/loop/run-tool/tool-registry.ts';
import type { Repair } from '../core/message.ts';
import { forcedCall } from '../dialects/forced-call.ts';
import { isCut } from './answer-facts.ts';
import type { Said } from './asking.ts';
import { type CheckedCall, checkCall } from './check-calls.ts';

const TAKEN: Repair = { kind: 'text_call', detail: 'the answer was the arguments of the call that had to come' };

/** Undefined where it is something else, or was cut. */
export const bareCall = (registry: ToolRegistry, said: Said): CheckedCall[] | undefined => {
  if (isCut(said)) return undefined;
  const tools = registry.tools.map(({ name, parameters: schema }) => ({ name, schema }));
  const nameless = said.calls.flatMap(({ name, malformed }) => (name === '' && malformed ? [malformed.text] : []));
  const call = forcedCall([said.text, said.damaged, ...nameless].join(''), tools);
  return call && [checkCall(registry, { ...call, id: 'call_1', source: 'parsed', repairs: [TAKEN] })];
};

/** The one call is such an answer, so its text is no words. */
export const isTaken = (checked: readonly CheckedCall[]): boolean =>
  checked.some(({ call }) => call.repairs.includes(TAKEN));
