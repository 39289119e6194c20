/**
 * What programs of other makers hand in: null for "none", as Pydantic, LangChain and vLLM write it, and in a list of tools
 * those of the server itself (`{ type: 'web_search' }`), which no text calls.
 */
import { isObject } from '../../core/json.ts';
import { withoutAbsent } from '../../core/option-kinds.ts';

/** Named by what it is, and with nothing that a call could name. */
export const isOfServer = (tool: unknown): boolean =>
  isObject(tool) &&
  typeof tool['type'] === 'string' &&
  tool['type'] !== 'function' &&
  !('function' in tool) &&
  !('name' in tool);

export const ownTools = <T extends object>(tools: readonly T[]): T[] =>
  tools.filter((tool) => !isOfServer(tool)).map((tool) => withoutNulls(tool));

const withoutNulls = <T extends object>(tool: T): T => {
  const given = withoutAbsent(tool);
  return 'function' in given && isObject(given.function)
    ? { ...given, function: withoutAbsent(given.function) }
    : given;
};

type WithTools = { tools?: readonly object[] | undefined };
/** Options of which the tools are read so. */
export const withOwnTools = <O extends WithTools | undefined>(options: O): O =>
  options?.tools ? { ...options, tools: ownTools(options.tools) } : options;
