/** What in a model's text is a call that cannot be run, and where: for whoever asks why a call was not read. */
import {
  type BrokenCall,
  findUnreadCall,
  type ParseResult,
  parseJsonLeniently,
  type ToolDefinition,
} from '../dialects/index.ts';

/** One of them. Lines and columns count from 1. */
export type ParseFault = {
  /** Null where the call names no tool. */
  name: string | null;
  /** `truncated`: the text ends inside it. `malformed`: it cannot be read. `unread`: it is a call that is none here. */
  problem: BrokenCall['problem'] | 'unread';
  line: number;
  column: number;
  message: string;
  text: string;
};

export const faultsIn = (
  text: string,
  result: ParseResult,
  { dialect, tools }: { dialect: string; tools?: readonly ToolDefinition[] | undefined },
): ParseFault[] => {
  if (result.broken.length > 0) return result.broken.map((broken) => brokenFault(text, broken));
  if (result.calls.length > 0) return [];
  const names = new Set(tools?.map((tool) => ('function' in tool ? tool.function.name : tool.name)));
  const unread = findUnreadCall(result.content, dialect, (name) => tools === undefined || names.has(name));
  if (unread === undefined) return [];
  const isUnknown = tools !== undefined && unread.name !== '' && !names.has(unread.name);
  const problem = isUnknown ? 'there is no such tool in --tools' : (unread.problem ?? `${dialect} does not read it`);
  return [faultAt(text, unread.text, { name: unread.name || null, problem: 'unread', why: problem })];
};

const brokenFault = (text: string, { name, problem, text: written }: BrokenCall): ParseFault =>
  faultAt(text, written, { name: name ?? null, problem, why: reasonOf(text, written, problem) });

/** The first JSON in it, as far as it can be read. */
const reasonOf = (text: string, written: string, problem: BrokenCall['problem']): string => {
  // What follows the call says whether it ends too early.
  const rest = text.slice(Math.max(0, text.indexOf(written.trim())));
  const start = rest.search(/[{[](?!TOOL_CALLS|ARGS|CALL_ID)/);
  const read = start < 0 ? undefined : parseJsonLeniently(rest.slice(start));
  if (read !== undefined && !read.ok) return read.problem;
  return problem === 'truncated' ? 'the text ends inside it' : 'it cannot be read as its notation wants it';
};

const faultAt = (
  text: string,
  written: string,
  { name, problem, why }: Pick<ParseFault, 'name' | 'problem'> & { why: string },
): ParseFault => {
  const before = text.slice(0, Math.max(0, text.indexOf(written.trim()))).split('\n');
  const place = { line: before.length, column: (before.at(-1) ?? '').length + 1 };
  const call = name === null ? 'a call that names no tool' : `the call to ${name}`;
  const message = `line ${place.line}, column ${place.column}: ${call} ${HOW[problem]}: ${why}`;
  return { name, problem, ...place, message, text: written };
};

const HOW: Readonly<Record<ParseFault['problem'], string>> = {
  truncated: 'is cut off',
  malformed: 'is broken',
  unread: 'is not read',
};
