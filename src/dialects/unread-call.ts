/**
 * A text that is meant as a call and that no grammar reads as one: to a tool that nobody offered, with a key too many, with
 * arguments that are no object, or in another notation. Such a text is never an answer; whoever runs the conversation
 * decides what becomes of it.
 */
import { isObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { isNestedDeeper } from '../core/nested-json.ts';
import { repeatedKey, repeatedKeyText } from '../core/repeated-key.ts';
import { betweenMarks, type CallMarks } from './answer/call-marks.ts';
import { AMONG, BEHIND, CUT, MENTIONED, NAMELESS, noObject, unreadable, writeExactly } from './answer/call-words.ts';
import { jsonAt } from './cut-json.ts';
import { END_TOKENS } from './engine/grammar.ts';
import { readLeniently } from './engine/lenient.ts';
import { isPresented, isSample, leadOf } from './sample.ts';
import type { ParsedCall, ParseResult, ToolDefinition } from './types.ts';

export type UnreadCall = {
  name: string;
  arguments: JsonObject;
  /** What is wrong with it, where not only the tool is unknown. */
  problem?: string;
  /** The part of the text that is the call. */
  text: string;
  /** Words, or other calls, stand behind it. */
  isPart?: true;
  /** The text ends inside it. */
  isCut?: true;
  /** It stands between marks that only a call has. */
  isMarked?: true;
  /** It is understood, and no notation writes it like this. */
  isMisshapen?: true;
  /** Only its name is sure. */
  isUnclear?: true;
};

/** Whether there is a tool of this name. */
export type IsTool = (name: string) => boolean;

/** Reads a whole text in a dialect. */
export type ReadText = (text: string, dialect: string, tools?: readonly ToolDefinition[]) => ParseResult;

export type UnreadOptions = { read: ReadText; isTool?: IsTool | undefined; marks: CallMarks };

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
const BEGINNING = /^\[?\s*\{\s*"(tool|name)"\s*:\s*"([^"\n]{1,128})"\s*,\s*"(?:args|arguments|parameters)"\s*:/;
/** Marks of a call with its name, and behind them the arguments, which need not be an object. */
const MARKED = [
  /^\[TOOL_CALLS\]\s*([\w.-]{1,128})\s*(?:\[CALL_ID\]\s*\w{1,64}\s*)?\[ARGS\]([\s\S]*)$/,
  /^<function\s*=\s*"?([\w.-]{1,128})"?\s*>([\s\S]*?)(?:<\/function>)?$/,
];
/** Marks of a call whose name stands in the JSON behind them. */
const OPENING = /^(?:<\|?[^<>\s]{0,40}(?:tool|call|function|python_tag)[^<>\s]{0,40}>|\[TOOL_CALLS\])\s*(?=[{[])/i;
const CLOSING = /\s*<\/?\|?[^<>\s]{0,40}(?:tool|call|function)[^<>\s]{0,40}>$/i;
/** All that a call has which lost its name, or has none that can be used in its place. */
const UNNAMED = new Set(['name', 'tool', 'arguments', 'args', 'id', 'type']);
/** All that a call has; data with a name has other keys as well. */
const NAMED = new Set(['name', 'arguments', 'id', 'type']);
/** A function's name and its parenthesis. */
const FUNCTION = /^\[?\s*([A-Za-z_][\w.]{0,127})\(/;
/** Around a call more objects and lists than this are data. */
const WRAPPED_DEPTH_MAX = 8;
/** Indented objects that are looked at in one text. */
const BLOCKS_MAX = 50;
const WRAPPERS = ['tool_calls', 'calls', 'function_calls'];
/** What is written as a call is, be it in no notation: JSON, or a function. */
const SHAPED = /^(?:[[{][\s\S]*[\]}]|[A-Za-z_][\w.]{0,127}\([\s\S]*\))$/;
/** JSON with escaped quotation marks alone. */
const ESCAPED = /^[[{]\s*\\"(?:[^"\\]|\\.)*$/;
const NAMED_OBJECT = /^([A-Za-z_][\w.-]{0,127})[ \t]*(\{[\s\S]*\})$/;
/** A text that begins with a mark in which one of these words stands, and ends in an object or a mark. */
const LOOKALIKE =
  /^(?:<\|?[^<>\s]{0,40}(?:tool|call|function)[^<>\s]{0,40}>|\[[^[\]\s]{0,20}TOOL[^[\]\s]{0,20}\])(?=[\s\S]*[}\]>]$)/i;
const EMPTY = 'the call is empty: it names no tool';
const MISSHAPEN = 'it is not written as a call: the name and the arguments each need a key of their own';

/** What a text is read with. */
type Reading = { dialect: string; isTool: IsTool };

const asCall = (value: JsonValue | undefined, text: string, reading: Reading): UnreadCall | undefined => {
  const { dialect } = reading;
  if (Array.isArray(value)) return value.every(isObject) ? asCall(value[0], text, reading) : undefined;
  if (!isObject(value)) return undefined;
  const given = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toLowerCase(), inner]));
  for (const key of WRAPPERS) {
    const list = given[key];
    if (Array.isArray(list) && list.length === 0 && Object.keys(given).length === 1)
      return { name: '', arguments: {}, problem: EMPTY, text, isMarked: true };
    if (Array.isArray(list)) return asCall(list, text, reading);
  }
  if (isObject(given['function'])) return asCall(given['function'], text, reading);
  for (const keys of KEYS) {
    if (!Object.hasOwn(given, keys.name)) continue;
    const isOwn = keys.dialect === dialect;
    const key = keys.arguments.find((one) => Object.hasOwn(given, one));
    if (key === undefined && !isOwn) continue;
    const args = argumentsOf(key === undefined ? {} : given[key]);
    const name = given[keys.name];
    // Of a text whose notation nobody named, such an object may be any data.
    if (args === undefined && dialect === 'auto' && !isExact(given, NAMED) && !isOffered(name, reading)) continue;
    if (typeof name !== 'string' || name.trim() === '') {
      if (!isOwn) continue;
      return { name: '', arguments: {}, problem: `${keys.name} must be the name of a tool`, text };
    }
    return { name: name.trim(), arguments: args ?? {}, problem: problemOf(value, key, args, dialect), text };
  }
  return misshapen(value, text, reading) ?? nameless(given, text) ?? wrapped(value, text, reading);
};

/** In the dialect that is strict every object is meant as a call that holds one further in. */
const wrapped = (value: JsonObject, text: string, reading: Reading): UnreadCall | undefined => {
  const { dialect } = reading;
  const inner = dialect === STRICT_DIALECT ? callWithin(value, reading, 0) : undefined;
  if (inner === undefined) return undefined;
  const { tool, args } = inner;
  const name = String(tool).trim();
  const given = argumentsOf(args) ?? {};
  const problem = problemOf({ tool: name, ...value }, undefined, given, dialect);
  return { name, arguments: given, problem, text };
};

/** Without `args`, an object beside other data is one only where it names a tool on offer and says nothing else. */
const callWithin = (value: JsonValue, reading: Reading, depth: number): JsonObject | undefined => {
  if (depth > WRAPPED_DEPTH_MAX || !(Array.isArray(value) || isObject(value))) return undefined;
  if (isObject(value) && typeof value['tool'] === 'string') {
    if (value['args'] !== undefined || (Object.keys(value).length === 1 && isOffered(value['tool'], reading)))
      return value;
  }
  for (const inner of Object.values(value)) {
    const found = callWithin(inner, reading, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** The name of a tool on offer as the only key, or arguments beside the name. */
const misshapen = (value: JsonObject, text: string, reading: Reading): UnreadCall | undefined => {
  const [[key, inner] = ['', null], ...more] = Object.entries(value);
  if (more.length === 0 && isOffered(key, reading) && isObject(inner))
    return { name: key.trim(), arguments: inner, problem: MISSHAPEN, isMisshapen: true, text };
  const nameKey = KEYS.map((keys) => keys.name).find((one) => isOffered(value[one], reading));
  if (nameKey === undefined || more.length === 0) return undefined;
  const { [nameKey]: name, ...args } = value;
  return { name: String(name).trim(), arguments: args, problem: MISSHAPEN, isMisshapen: true, text };
};

const isExact = (given: JsonObject, keys: ReadonlySet<string>): boolean =>
  Object.keys(given).every((key) => keys.has(key));

const isOffered = (name: JsonValue | undefined, { isTool }: Reading): boolean =>
  typeof name === 'string' && isTool(name.trim());

/** The arguments of a call, and nothing that says whose they are. */
const nameless = (given: JsonObject, text: string): UnreadCall | undefined => {
  const args = given['arguments'] ?? given['args'];
  return isObject(args) && isExact(given, UNNAMED) ? { name: '', arguments: args, problem: NAMELESS, text } : undefined;
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
  if (args === undefined || (dialect === STRICT_DIALECT && key === 'args' && typeof raw === 'string'))
    return noObject(key ?? 'args', raw);
  if (dialect !== STRICT_DIALECT) return undefined;
  const extra = Object.keys(value).filter((one) => one !== 'tool' && one !== 'args');
  const name = String(value['tool'] ?? value['name'] ?? value['function']);
  return extra.length > 0
    ? `${extra.join(', ')} is no key of a call: it has tool and args alone, so ${writeExactly(name, args)}`
    : undefined;
};

const readCall = (text: string, reading: Reading): UnreadCall | undefined => {
  const call = text.replace(LABEL, '');
  if (!/^[{[]/.test(call)) return undefined;
  const read = readLeniently(call);
  if (read !== undefined) return asWritten(asCall(read.value, call, reading), text);
  const name = BEGINNING.exec(call)?.[2];
  if (name === undefined) return undefined;
  const [line = '', ...rest] = call.split('\n');
  const first = rest.length === 0 ? undefined : readLeniently(line.trim())?.value;
  return first === undefined
    ? { name, arguments: {}, problem: unreadable(call), text: call }
    : { name, arguments: {}, problem: BEHIND, text: call, isPart: true };
};

/** Behind the mark of a quotation it may be shown. */
const asWritten = (call: UnreadCall | undefined, text: string): UnreadCall | undefined =>
  call !== undefined && isPresented(leadOf(text)) ? { ...call, problem: MENTIONED, isPart: true } : call;

/** Markers that only a call has, and arguments that are no object. */
const readMarked = (text: string, { isTool }: Reading): UnreadCall | undefined => {
  for (const form of MARKED) {
    const [, name, written] = form.exec(text) ?? [];
    if (name === undefined || written === undefined) continue;
    const args = readLeniently(written.trim())?.value;
    // What was begun as an object was cut off, or is read elsewhere.
    if (isObject(args) || /^\s*(?:\{|$)/.test(written)) return undefined;
    return { name, arguments: {}, problem: noObject('the arguments', args ?? written.trim()), text };
  }
  if (!OPENING.test(text)) return undefined;
  const call = readCall(text.replace(OPENING, '').replace(CLOSING, ''), { dialect: 'marked', isTool });
  return call?.problem === undefined ? undefined : { ...call, text };
};

/** What stands between marks is no call of any notation, and was meant as one. */
const readBetweenMarks = (text: string, reading: Reading, marks: CallMarks): UnreadCall | undefined => {
  const marked = betweenMarks(text, marks);
  if (marked === undefined) return undefined;
  const [first, ...more] = marked.pieces;
  if (first === undefined) {
    const cut = marked.isBegun ? { problem: CUT, isCut: true as const } : { problem: EMPTY };
    return { name: '', arguments: {}, ...cut, text, isMarked: true };
  }
  const isMeant = (piece: string): boolean => SHAPED.test(piece) || isOffered(bareName(piece), reading);
  if (!(marked.isClosed && more.length === 0) && !marked.pieces.every(isMeant)) return undefined;
  const word = /^[\w.-]+/.exec(bareName(first))?.[0];
  const name = FUNCTION.exec(first)?.[1] ?? readCall(first, reading)?.name ?? (isOffered(word, reading) ? word : '');
  return { name: name ?? '', arguments: {}, problem: MISSHAPEN, text, isMarked: true };
};

const bareName = (text: string): string => text.replaceAll(/[`"']/g, '');

/** JSON whose quotation marks are escaped, as in a text inside JSON. */
const readEscaped = (text: string, reading: Reading): UnreadCall | undefined => {
  const call = ESCAPED.test(text) ? readCall(text.replaceAll('\\"', '"'), reading) : undefined;
  return call && { ...call, problem: 'its quotation marks are escaped: write it as plain JSON', text };
};

/** The name of a tool on offer, and its arguments as an object behind it. */
const readNamed = (text: string, reading: Reading): UnreadCall | undefined => {
  const [, name, written = ''] = NAMED_OBJECT.exec(text) ?? [];
  const args = isOffered(name, reading) ? readLeniently(written)?.value : undefined;
  return isObject(args)
    ? { name: name ?? '', arguments: args, problem: MISSHAPEN, isMisshapen: true, text }
    : undefined;
};

/** Marks like those of a call, of no notation, around a call to a tool on offer. */
const readLookalike = (text: string, reading: Reading): UnreadCall | undefined => {
  const [mark = ''] = LOOKALIKE.exec(text) ?? [];
  const start = mark === '' ? -1 : text.indexOf('{');
  const object = start < 0 ? undefined : jsonAt(text.slice(start))?.value;
  if (!isObject(object)) return undefined;
  const named = text
    .slice(0, start)
    .match(/[A-Za-z_][\w.-]*/g)
    ?.find((one) => isOffered(one, reading));
  const call = named === undefined ? asCall(object, text, reading) : { name: named, arguments: object };
  if (call === undefined || !isOffered(call.name, reading)) return undefined;
  const problem = `${mark} is the mark of no notation`;
  return { name: call.name, arguments: call.arguments, problem, text, isMarked: true, isMisshapen: true };
};

/** Tags, markers and functions: what would be a call if there were such a tool. */
const readElsewhere = (text: string, dialect: string, read: ReadText): UnreadCall | undefined => {
  const marked = onlyCall(read(text, 'auto'));
  const named = FUNCTION.exec(text)?.[1];
  const call = marked ?? (named && functionCall(named, read(text, 'pythonic', [{ name: named }])));
  if (!call) return undefined;
  const problem = dialect === STRICT_DIALECT ? writeExactly(call.name, call.arguments) : undefined;
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
export const findUnread = (text: string, dialect: string, options: UnreadOptions): UnreadCall | undefined => {
  const call = unreadIn(text, dialect, options);
  const repeated = call === undefined ? undefined : repeatedKey(call.text.slice(Math.max(0, call.text.indexOf('{'))));
  if (call === undefined || repeated === undefined) return call;
  // Whatever else is odd about it: it cannot be understood, and the last value is no more meant than the first.
  const { isMisshapen: _form, ...unclear } = call;
  return { ...unclear, arguments: {}, problem: repeatedKeyText(repeated) };
};

const unreadIn = (
  text: string,
  dialect: string,
  { read, isTool = () => false, marks }: UnreadOptions,
): UnreadCall | undefined => {
  const reading: Reading = { dialect, isTool };
  if (dialect === 'native') return undefined;
  const whole = bare(text);
  const inside = FENCED.exec(whole)?.[2]?.trim() ?? whole;
  const call =
    readCall(inside, reading) ??
    readEscaped(inside, reading) ??
    readNamed(inside, reading) ??
    readElsewhere(inside, dialect, read) ??
    readMarked(inside, reading) ??
    readBetweenMarks(whole, reading, marks) ??
    readLookalike(whole, reading) ??
    readBroken(inside, whole, read);
  if (call !== undefined || dialect === 'auto') return call;
  const last = LAST_FENCE.exec(whole)?.[1]?.trim();
  const among = (last === undefined ? undefined : readCall(last, reading)) ?? inLines(whole, reading);
  if (among === undefined) return undefined;
  const before = whole.slice(0, Math.max(0, whole.indexOf(among.text)));
  if (isTool(among.name) ? isPresented(before) : isSample(before)) return undefined;
  return { ...among, problem: among.problem ?? AMONG, isPart: true };
};

/** The notation of a call from its first character to its last, whose arguments no reader can read. */
const readBroken = (text: string, whole: string, read: ReadText): UnreadCall | undefined => {
  if (!ENDED.test(text)) return undefined;
  const { calls, broken } = read(whole, 'auto');
  const [first, ...more] = broken;
  const start = first === undefined || calls.length + more.length > 0 ? -1 : whole.indexOf(first.text.trim());
  const isAll = start >= 0 && /^(?:<.*|\S*)$/s.test(whole.slice(0, start));
  const name = isAll ? first?.name : isNestedDeeper(text) ? FUNCTION.exec(text)?.[1] : undefined;
  return name === undefined ? undefined : { name, arguments: {}, problem: unreadable(whole), text: whole };
};
const ENDED = /[}\])>`]$/;

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
const inLines = (text: string, reading: Reading): UnreadCall | undefined => {
  const lines = text.split('\n');
  let isQuoted = false;
  let blocks = 0;
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('```')) isQuoted = !isQuoted;
    if (isQuoted) continue;
    const found =
      readCall(line.trim(), reading) ??
      (line.trim() === '{' && blocks++ < BLOCKS_MAX ? blockAt(lines, index, reading) : undefined);
    if (found !== undefined) return found;
  }
  // Behind a sentence, and the last thing that is said.
  const announced = /[.!:…]\s+(\{.*\})$/s.exec(text)?.[1];
  return announced === undefined || isQuoted ? undefined : readCall(announced, reading);
};

/** An object over several lines, as JSON is indented. */
const blockAt = (lines: readonly string[], start: number, reading: Reading): UnreadCall | undefined => {
  const indent = /^\s*/.exec(lines[start] ?? '')?.[0] ?? '';
  const end = lines.findIndex((line, index) => index > start && line.trimEnd() === `${indent}}`);
  return end < 0
    ? undefined
    : readCall(
        lines
          .slice(start, end + 1)
          .join('\n')
          .trim(),
        reading,
      );
};
