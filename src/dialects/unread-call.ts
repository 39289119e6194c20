/**
 * A text that is meant as a call and that no grammar reads as one: to a tool that nobody offered, with a key too many, with
 * arguments that are no object, or in another notation. Such a text is never an answer; whoever runs the conversation
 * decides what becomes of it.
 */
import { isObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { END_TOKENS } from './engine/grammar.ts';
import { readLeniently } from './engine/lenient.ts';
import type { ParsedCall, ParseResult, ToolDefinition } from './types.ts';

export type UnreadCall = {
  name: string;
  arguments: JsonObject;
  /** What is wrong with it, where not only the tool is unknown. */
  problem?: string;
  /** The part of the text that is the call. */
  text: string;
};

/** Reads a whole text in a dialect. */
export type ReadText = (text: string, dialect: string, tools?: readonly ToolDefinition[]) => ParseResult;

const STRICT_DIALECT = 'edison';
/** The keys of a call. With its own name alone an object of `dialect` is a call. */
type Keys = { name: string; arguments: readonly string[]; dialect?: string };
const KEYS: readonly Keys[] = [
  { name: 'tool', arguments: ['args'], dialect: STRICT_DIALECT },
  { name: 'tool', arguments: ['arguments', 'parameters'] },
  { name: 'name', arguments: ['arguments', 'parameters', 'args'] },
  { name: 'function', arguments: ['arguments', 'parameters', 'args'] },
];
const FENCED = /^(`{1,3})(?:\w*[ \t]*\n)?([\s\S]*?)\s*\1$/;
/** A fence that the text ends with. */
const LAST_FENCE = /(?:^|\n)```\w*[ \t]*\n([\s\S]*?)\n?```$/;
/** What may stand before a call in its line. */
const LABEL = /^(?:[-*•]|\d+[.)]|>|json|tool_call|Action:|Tool:|Call:)\s+(?=[{[])/i;
/** The beginning of a call that is cut or too damaged to be read. */
const BEGINNING = /^\{\s*"(tool|name)"\s*:\s*"([^"\n]{1,128})"\s*,\s*"(?:args|arguments|parameters)"\s*:/;
/** A function's name and its parenthesis. */
const FUNCTION = /^\[?\s*([A-Za-z_][\w.]{0,127})\(/;
/** Indented objects that are looked at in one text. */
const BLOCKS_MAX = 50;
const WRAPPERS = ['tool_calls', 'calls', 'function_calls'];

const asCall = (value: JsonValue | undefined, text: string, dialect: string): UnreadCall | undefined => {
  if (Array.isArray(value)) return value.every(isObject) ? asCall(value[0], text, dialect) : undefined;
  if (!isObject(value)) return undefined;
  const given = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toLowerCase(), inner]));
  for (const key of WRAPPERS) if (Array.isArray(given[key])) return asCall(given[key], text, dialect);
  if (isObject(given['function'])) return asCall(given['function'], text, dialect);
  for (const keys of KEYS) {
    if (!Object.hasOwn(given, keys.name)) continue;
    const isOwn = keys.dialect === dialect;
    const key = keys.arguments.find((one) => Object.hasOwn(given, one));
    if (key === undefined && !isOwn) continue;
    const args = argumentsOf(key === undefined ? {} : given[key]);
    // Of a text whose notation nobody named, such an object may be any data.
    if (args === undefined && dialect === 'auto') continue;
    const name = given[keys.name];
    if (typeof name !== 'string' || name.trim() === '') {
      if (!isOwn) continue;
      return { name: '', arguments: {}, problem: `${keys.name} must be the name of a tool`, text };
    }
    return { name: name.trim(), arguments: args ?? {}, problem: problemOf(value, key, args, dialect), text };
  }
  return undefined;
};

/** Arguments may be missing, or a text that holds the object. */
const argumentsOf = (args: JsonValue | undefined): JsonObject | undefined => {
  const value = typeof args === 'string' ? readLeniently(args.trim())?.value : (args ?? {});
  return isObject(value) ? value : undefined;
};

const problemOf = (
  value: JsonObject,
  key: string | undefined,
  args: JsonObject | undefined,
  dialect: string,
): string | undefined => {
  const raw = key === undefined ? undefined : value[key];
  if (args === undefined || (dialect === STRICT_DIALECT && typeof raw === 'string')) return `${key} must be an object`;
  if (dialect !== STRICT_DIALECT) return undefined;
  const extra = Object.keys(value).filter((one) => one !== 'tool' && one !== 'args');
  return extra.length > 0 ? `${extra.join(', ')} is no key of a call: it has tool and args alone` : undefined;
};

const readCall = (text: string, dialect: string): UnreadCall | undefined => {
  const call = text.replace(LABEL, '');
  if (!/^[{[]/.test(call)) return undefined;
  const read = readLeniently(call);
  if (read !== undefined) return asCall(read.value, call, dialect);
  const name = BEGINNING.exec(call)?.[2];
  return name === undefined
    ? undefined
    : { name, arguments: {}, problem: 'it is no JSON that can be read to its end', text: call };
};

/** Tags, markers and functions: what would be a call if there were such a tool. */
const readElsewhere = (text: string, dialect: string, read: ReadText): UnreadCall | undefined => {
  const marked = onlyCall(read(text, 'auto'));
  const named = FUNCTION.exec(text)?.[1];
  const call = marked ?? (named && functionCall(named, read(text, 'pythonic', [{ name: named }])));
  if (!call) return undefined;
  const problem = dialect === STRICT_DIALECT ? 'write it as {"tool": …, "args": {…}}' : undefined;
  return { name: call.name, arguments: call.arguments, problem, text };
};

const onlyCall = ({ calls, content }: ParseResult): ParsedCall | undefined =>
  content.trim() === '' ? calls[0] : undefined;

/** `main()` is a line of code like any other; a tool's name has several words, or its arguments have names. */
const functionCall = (name: string, result: ParseResult): ParsedCall | undefined => {
  const call = onlyCall(result);
  return call && (name.includes('_') || Object.keys(call.arguments).length > 0) ? call : undefined;
};

/**
 * The call that a text is, or in a named dialect one that stands in it on lines of its own or at its end; undefined where
 * it is an answer. With `auto`, where prose may hold JSON on purpose, only a text that is nothing else counts. `native`
 * leaves calls to the server.
 */
export const findUnread = (text: string, dialect: string, read: ReadText): UnreadCall | undefined => {
  if (dialect === 'native') return undefined;
  const whole = bare(text);
  const inside = FENCED.exec(whole)?.[2]?.trim() ?? whole;
  const call = readCall(inside, dialect) ?? readElsewhere(inside, dialect, read);
  if (call !== undefined || dialect === 'auto') return call;
  const last = LAST_FENCE.exec(whole)?.[1]?.trim();
  return (last === undefined ? undefined : readCall(last, dialect)) ?? inLines(whole, dialect);
};

/** Without the marks that a server or a template left around it. */
const bare = (text: string): string => {
  let whole = text.trim().replace(/^\ufeff/, '');
  for (let before = ''; before !== whole; ) {
    before = whole;
    const end = END_TOKENS.find((token) => whole.endsWith(token));
    whole = (end === undefined ? whole : whole.slice(0, -end.length)).replace(/^<\/?think>/, '').trim();
  }
  return whole;
};

/** One line, or several from a bracket to the bracket that closes it; what a fence holds is a quotation. */
const inLines = (text: string, dialect: string): UnreadCall | undefined => {
  const lines = text.split('\n');
  let isQuoted = false;
  let blocks = 0;
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('```')) isQuoted = !isQuoted;
    if (isQuoted) continue;
    const found =
      readCall(line.trim(), dialect) ??
      (line.trim() === '{' && blocks++ < BLOCKS_MAX ? blockAt(lines, index, dialect) : undefined);
    if (found !== undefined) return found;
  }
  // Announced, and the last thing that is said.
  const announced = /:\s+(\{.*\})$/s.exec(text)?.[1];
  return announced === undefined || isQuoted ? undefined : readCall(announced, dialect);
};

/** An object over several lines, as JSON is indented. */
const blockAt = (lines: readonly string[], start: number, dialect: string): UnreadCall | undefined => {
  const indent = /^\s*/.exec(lines[start] ?? '')?.[0] ?? '';
  const end = lines.findIndex((line, index) => index > start && line.trimEnd() === `${indent}}`);
  return end < 0
    ? undefined
    : readCall(
        lines
          .slice(start, end + 1)
          .join('\n')
          .trim(),
        dialect,
      );
};
