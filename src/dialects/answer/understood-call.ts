/** A call in no notation that is understood all the same: the whole answer, with arguments that fit their tool exactly. */
import { validateArguments } from '../../core/validate-arguments.ts';
import { writtenJson } from '../../core/written-numbers.ts';
import type { ParsedCall, ToolDefinition } from '../types.ts';
import type { UnreadCall } from '../unread-call.ts';
import { EXACT_DIALECT } from './exact-call.ts';

/** Whether arguments are those of a tool on offer: all of them known, none missing, each of its type. */
export const fitsTool = (
  tools: readonly ToolDefinition[] | undefined,
  { name, arguments: args }: Pick<ParsedCall, 'name' | 'arguments'>,
): boolean => {
  const tool = tools?.map((one) => ('function' in one ? one.function : one)).find((one) => one.name === name);
  if (tool?.parameters === undefined || Object.keys(args).length === 0) return false;
  const checked = validateArguments(tool.parameters, args, 'strict');
  return checked.ok && checked.dropped.length === 0;
};

/** Undefined where it has to be asked for again. A dialect that is strict takes calls of its own form alone. */
export const understoodCall = (
  unread: UnreadCall,
  { tools, reads }: { tools: readonly ToolDefinition[] | undefined; reads: unknown },
): ParsedCall | undefined => {
  const { name, arguments: args, isMisshapen, isPart } = unread;
  if (!isMisshapen || isPart || reads === EXACT_DIALECT || !fitsTool(tools, unread)) return undefined;
  const repair = { kind: 'call_form', detail: 'the name and the arguments of the call stood in another form' };
  return { id: 'call_1', name, arguments: args, argumentsText: writtenJson(args), repairs: [repair] };
};
