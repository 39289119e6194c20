/** What in a model's text is a call that cannot be run, and where: for whoever asks why a call was not read. */
import { nameResolver } from '../agent/loop/run-tool/tool-registry.ts';
import {
  type AnswerText,
  type BrokenCall,
  type ParsedCall,
  parseJsonLeniently,
  readAnswer,
  type ToolDefinition,
  type UnreadCall,
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

export type ParsedText = {
  dialect: string;
  content: string;
  calls: ParsedCall[];
  /** Of calls that are not made, in the order of the text. */
  faults: ParseFault[];
};

/** The reading that a conversation uses. Without tools nothing is known of what JSON among words means. */
export const readText = (
  answer: AnswerText,
  options: {
    dialect: string;
    tools?: readonly ToolDefinition[] | undefined;
    /** The text that lines and columns count in; the answer's own by default. */
    source?: string;
  },
): ParsedText => {
  const { dialect, tools } = options;
  const names = new Set(tools?.map((tool) => ('function' in tool ? tool.function.name : tool.name)));
  const resolve = nameResolver([...names], { exactNames: dialect === 'edison' });
  const isTool = (name: string): boolean => tools === undefined || names.has(resolve(name).name);
  const { result } = answer;
  const { source: whole = answer.whole } = options;
  const read = readAnswer(answer, { tools, isTool, mayGuess: () => true, dialect, reads: dialect });
  const unreadFault = (unread: UnreadCall): ParseFault => {
    const isUnknown = tools !== undefined && unread.name !== '' && !isTool(unread.name);
    const why = isUnknown ? 'there is no such tool in --tools' : (unread.problem ?? `${dialect} does not read it`);
    return faultAt(whole, unread.text, {
      name: unread.name || null,
      problem: unread.isCut ? 'truncated' : 'unread',
      why,
    });
  };
  const calls = read.written.parts.flatMap((part) =>
    part.kind === 'call' && isTool(part.call.name) ? [named(part.call, resolve)] : [],
  );
  const faults = read.written.parts.flatMap((part): ParseFault[] => {
    if (part.kind === 'broken') return [brokenFault(whole, part.broken)];
    if (part.kind === 'call') return isTool(part.call.name) ? [] : [unreadFault(unknownCall(part.call, whole))];
    return part.kind === 'unread' ? [unreadFault(part.unread)] : [];
  });
  const told = [...(read.held?.calls ?? []), ...(read.warning?.calls ?? [])].map(unreadFault);
  return {
    dialect: calls.length > 0 ? read.written.dialect : result.dialect,
    content: read.isReturned ? result.content : read.text,
    calls,
    faults: [...faults, ...told],
  };
};

/** As a conversation would make it. */
const named = (call: ParsedCall, resolve: ReturnType<typeof nameResolver>): ParsedCall => {
  const { name, repair } = resolve(call.name);
  return repair === undefined ? call : { ...call, name, repairs: [...call.repairs, repair] };
};

/** Its parser keeps no text of a call that it read: its name says where it stands. */
const unknownCall = ({ name, arguments: args }: ParsedCall, whole: string): UnreadCall => ({
  name,
  arguments: args,
  text: whole.includes(name) ? name : '',
});

const brokenFault = (text: string, { name, problem, reason, text: written }: BrokenCall): ParseFault =>
  faultAt(text, written, { name: name ?? null, problem, why: reason ?? reasonOf(text, written, problem) });

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
