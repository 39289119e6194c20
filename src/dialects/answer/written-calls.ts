/**
 * Every call that stands in a text and that its parser left there: JSON, a name with arguments, a function, alone or in a
 * fence, whole or cut off. What stands between backticks or quotation marks is quoted. `reading.ts` says what becomes of them.
 */
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { repeatedKey, repeatedKeyText } from '../../core/repeated-key.ts';
import { writtenJson } from '../../core/written-numbers.ts';
import { jsonFrom } from '../cut-json.ts';
import { isPresented, leadOf } from '../sample.ts';
import type { ParsedCall, ParseResult } from '../types.ts';
import { noObject, unreadable } from './call-words.ts';

/** Where a call stands: it is the whole text; in a line of its own; behind a sentence; in the middle of one. */
export type CallPlace = 'alone' | 'line' | 'sentence' | 'word';

export type WrittenCall = {
  /** Empty where it names none. */
  name: string;
  arguments: JsonObject;
  /** What can be run; undefined where there is no such tool, where it was cut off or cannot be read. */
  call?: ParsedCall;
  /** What is wrong with it. */
  problem?: string;
  /** The arguments describe the tool: it is shown, and not called. */
  isShown?: true;
  isCut: boolean;
  isFenced: boolean;
  /** Its lines in the fence have the mark of a quotation or of a difference. */
  isQuoted?: true;
  place: CallPlace;
  start: number;
  end: number;
};

export type WrittenOptions = {
  /** Of a tool on offer. */
  isTool(name: string): boolean;
  /** In any notation, with the tools on offer. */
  read(text: string): ParseResult;
  /** The arguments are a description of the tool. */
  isShown(name: string, args: JsonValue | undefined): boolean;
  /** The arguments are those of the tool exactly. */
  fits(name: string, args: JsonObject): boolean;
};

/** Where a call can begin. What stands in quotation marks or backticks is quoted. */
const START =
  /(?<![`"'“‘\w({[:,\\])(?=\{|\[\s*\{)|(?<![`"'“‘\w.\]-])(?=[A-Za-z_][\w.-]{0,127}\[ARGS\])|(?<![`"'“‘\w.\]-])(?=[A-Za-z_][\w.-]{0,127}(?:\(|[ \t]*\{))(?<=(?:^|\n)[ \t]*)/g;
const ARGS = /[A-Za-z_][\w.-]{0,127}\[ARGS\]\s*/y;
const NAME = /([A-Za-z_][\w.-]{0,127})[ \t]*(?=\{)/y;
const FUNCTION = /([A-Za-z_][\w.-]{0,127})\([^\n]*\)(?=[ \t]*(?:\n|$))/y;
/** The beginning of a call that cannot be read. */
const BEGINNING = /\{\s*"(?:tool|name|function)"\s*:\s*"([^"\n]{1,128})"\s*,\s*"(?:args|arguments|parameters)"\s*:/y;
const FENCE = '```';
const LANGUAGE = /^`*[\w-]*[ \t]*(?:\r?\n|(?=[{[<]))/;
/** The language of a fence that shows what was changed. */
const DIFFERENCE = /^`+(?:diff|patch)\b/;
/** What may stand before a call in its line. */
const LABEL = /^\s*(?:(?:[-*•]|\d+[.)]|>|json|tool_call|Action:|Tool:|Call:)\s*)?$/i;
const NAMES = ['name', 'tool', 'function'];
const ARGUMENTS = ['arguments', 'args', 'parameters'];
const WRAPPERS = ['tool_calls', 'calls', 'function_calls', 'tool_call', 'function'];
const KEYS = new Set([...NAMES, ...ARGUMENTS, ...WRAPPERS, 'id', 'type', 'index']);
/** Characters that are read in vain, for each character of the text, before the rest of it is left unread. */
const VAIN_READS = 8;
const VAIN_CHARACTERS = 10_000;

type Found = Pick<WrittenCall, 'name' | 'arguments' | 'isCut'> &
  Pick<Partial<WrittenCall>, 'call' | 'problem' | 'isShown'>;
type Span = { calls: Found[]; end: number };

export const writtenCalls = (text: string, options: WrittenOptions): WrittenCall[] => {
  const found: WrittenCall[] = [];
  let from = 0;
  for (const fence of fencesIn(text)) {
    scan(text, from, fence.start, options, found);
    const { start, end } = fence;
    const inside = text.slice(fence.from, fence.to);
    const isQuoted = DIFFERENCE.test(text.slice(start, fence.from)) || isPresented(leadOf(inside));
    const quoted = isQuoted ? { isQuoted: true as const } : {};
    for (const call of callsAlone(inside, options))
      add(found, text, { ...call, ...quoted, isFenced: true, place: 'line', start, end });
    from = fence.end;
  }
  scan(text, from, text.length, options, found);
  return found;
};

/** A fence that holds more than calls is code. */
const callsAlone = (inside: string, options: WrittenOptions): Found[] => {
  const { calls, content } = options.read(inside.trim());
  if (calls.length > 0 && content.trim() === '') return calls.map((call) => asFound(call, options));
  const written = writtenCalls(inside, options);
  return hasWords(inside, written) ? [] : written;
};

/** Something else than these calls, and what may stand before and between them. */
export const hasWords = (text: string, calls: readonly Pick<WrittenCall, 'start' | 'end'>[]): boolean =>
  outside(text, calls).some((part) => part.split('\n').some((line) => !LABEL.test(line) && /\p{L}/u.test(line)));

/** The text without these calls. */
export const withoutCalls = (text: string, calls: readonly Pick<WrittenCall, 'start' | 'end'>[]): string =>
  outside(text, calls)
    .map((part) => part.trim())
    .filter((part) => !LABEL.test(part))
    .join('\n\n');

const outside = (text: string, calls: readonly Pick<WrittenCall, 'start' | 'end'>[]): string[] => {
  let from = 0;
  const parts: string[] = [];
  for (const { start, end } of calls) {
    if (start >= from) parts.push(text.slice(from, start));
    from = Math.max(from, end);
  }
  return [...parts, text.slice(from)];
};

type Fence = { start: number; end: number; from: number; to: number };

/** The last one may be open. */
const fencesIn = (text: string): Fence[] => {
  const fences: Fence[] = [];
  for (let at = text.indexOf(FENCE); at >= 0; at = text.indexOf(FENCE, at)) {
    const from = at + FENCE.length + (LANGUAGE.exec(text.slice(at + FENCE.length, at + 60))?.[0].length ?? 0);
    const close = text.indexOf(FENCE, from);
    const to = close < 0 ? text.length : close;
    let end = close < 0 ? to : close + FENCE.length;
    while (text[end] === '`') end += 1;
    fences.push({ start: at, end, from, to });
    at = end;
  }
  return fences;
};

const scan = (text: string, from: number, to: number, options: WrittenOptions, found: WrittenCall[]): void => {
  const part = to === text.length ? text : text.slice(0, to);
  let vain = VAIN_CHARACTERS + VAIN_READS * (to - from);
  const isInlineCode = inlineCodeIn(part, from);
  START.lastIndex = from;
  let behind = from;
  for (const { index: start } of part.matchAll(START)) {
    if (start < behind || isInlineCode(start)) continue;
    if (vain < 0) return;
    const span = spanAt(part, start, options);
    if (typeof span === 'number') {
      vain -= span;
      continue;
    }
    behind = span.end;
    for (const one of span.calls) add(found, text, { ...one, isFenced: false, start, end: span.end, place: 'word' });
  }
};

/** With the place where it stands, told by what stands between it and the call before. */
const add = (found: WrittenCall[], text: string, call: WrittenCall): void => {
  const before = found.at(-1);
  if (before !== undefined && before.start === call.start && before.end === call.end) {
    found.push({ ...call, place: before.place });
    return;
  }
  const words = text.slice(before?.end ?? 0, call.start);
  const follows = before !== undefined && /^[\s,;]*$/.test(words);
  found.push({
    ...call,
    place: follows && !words.includes('\n') ? before.place : placeOf(words, before === undefined),
  });
};

const placeOf = (words: string, isFirst: boolean): CallPlace => {
  if (isFirst && words.trim() === '') return 'alone';
  const line = words.slice(words.lastIndexOf('\n') + 1);
  if ((words.includes('\n') || isFirst) && LABEL.test(line)) return 'line';
  return /[.!?:…]\s*$/.test(words) ? 'sentence' : 'word';
};

/** Whether a backtick is open in the line of a place. Places are asked for in their order. */
const inlineCodeIn = (text: string, from: number): ((at: number) => boolean) => {
  let isOpen = false;
  let next = from;
  return (at) => {
    for (; next < at; next += 1) {
      if (text[next] === '\n') isOpen = false;
      else if (text[next] === '`') isOpen = !isOpen;
    }
    return isOpen;
  };
};

/** What begins here: calls, or data that holds none; or how many characters were read in vain. */
const spanAt = (text: string, start: number, options: WrittenOptions): Span | number => {
  if (text[start] === '{' || text[start] === '[') return objectAt(text, start, options);
  ARGS.lastIndex = start;
  const mark = ARGS.exec(text)?.[0];
  if (mark !== undefined) return namedAt(text, start, mark, options);
  NAME.lastIndex = start;
  const [before, tool] = NAME.exec(text) ?? [];
  if (before !== undefined && tool !== undefined) return nameAndObject(text, start + before.length, tool, options);
  FUNCTION.lastIndex = start;
  const [written, name] = FUNCTION.exec(text) ?? [];
  if (written === undefined || name === undefined) return 0;
  const { calls, content } = options.isTool(name) ? options.read(written) : { calls: [], content: written };
  const isMeant = calls.every((call) => call.name.includes('_') || Object.keys(call.arguments).length > 0);
  return calls.length > 0 && content.trim() === '' && isMeant
    ? { calls: calls.map((call) => asFound(call, options)), end: start + written.length }
    : written.length;
};

/** `read_file {"path": "a"}` in a line of its own. Words may follow any name, so it must be a tool's, with its arguments. */
const nameAndObject = (text: string, start: number, name: string, options: WrittenOptions): Span | number => {
  const json = options.isTool(name) ? jsonFrom(text, start) : 0;
  if (typeof json === 'number') return json;
  const { value, end, isCut } = json;
  const isAll = !isCut && isObject(value) && /^[ \t]*(?:\n|$)/.test(text.slice(end, end + LINE_END));
  if (!isAll || !options.fits(name, value) || repeatedKey(text.slice(start, end)) !== undefined) return end - start;
  const repair = { kind: 'call_form', detail: 'the arguments stood behind the name of the tool alone' };
  const call = { id: 'call_1', name, arguments: value, argumentsText: writtenJson(value), repairs: [repair] };
  return { calls: [asFound(call, options)], end };
};
const LINE_END = 20;

const asFound = (call: ParsedCall, { isTool, isShown }: WrittenOptions): Found => {
  const { name, arguments: args } = call;
  if (isShown(name, args)) return { name, arguments: args, isCut: false, isShown: true };
  return { name, arguments: args, ...(isTool(name) ? { call } : {}), isCut: false };
};

const objectAt = (text: string, start: number, options: WrittenOptions): Span | number => {
  const { isTool, read } = options;
  const json = jsonFrom(text, start);
  if (typeof json === 'number' || json.isCut) {
    BEGINNING.lastIndex = start;
    const [written, name = ''] = BEGINNING.exec(text) ?? [];
    // What the text ends inside of is known elsewhere.
    if (written === undefined || !isTool(name) || typeof json !== 'number')
      return typeof json === 'number' ? json : json.end - start;
    const line = text.indexOf('\n', start + written.length);
    const end = line < 0 ? text.length : line;
    return { calls: [{ name, arguments: {}, problem: unreadable(text.slice(start, end)), isCut: false }], end };
  }
  const { calls, content, broken } = read(text.slice(start, json.end));
  if (calls.length > 0 && content.trim() === '' && broken.length === 0)
    return { calls: calls.map((call) => asFound(call, options)), end: json.end };
  const repeated = repeatedKey(text.slice(start, json.end));
  const unclear = repeated === undefined ? {} : { arguments: {}, problem: repeatedKeyText(repeated) };
  return { calls: unreadIn(json.value, options).map((call) => ({ ...call, ...unclear })), end: json.end };
};

/** Calls to no tool here, and those whose arguments are no object. */
const unreadIn = (value: JsonValue | undefined, options: WrittenOptions): Found[] => {
  const { isTool, isShown } = options;
  if (Array.isArray(value)) {
    const calls = value.map((one) => unreadIn(one, options));
    return calls.every((one) => one.length > 0) ? calls.flat() : [];
  }
  if (!isObject(value)) return [];
  const wrapper = WRAPPERS.map((key) => value[key]).find((one) => typeof one === 'object' && one !== null);
  if (wrapper !== undefined) return unreadIn(wrapper, options);
  const name = NAMES.map((key) => value[key]).find((one) => typeof one === 'string');
  const key = ARGUMENTS.find((one) => Object.hasOwn(value, one));
  if (typeof name !== 'string' || name.trim() === '' || key === undefined) return [];
  const args = value[key];
  if (isShown(name.trim(), args)) return [{ name: name.trim(), arguments: {}, isCut: false, isShown: true }];
  // Of a tool that there is not, such an object may be data.
  if (!isTool(name.trim()) && !(Object.keys(value).every((one) => KEYS.has(one)) && isObject(args))) return [];
  const problem = isObject(args) ? {} : { problem: noObject(key, args) };
  return [{ name: name.trim(), arguments: isObject(args) ? args : {}, isCut: false, ...problem }];
};

/** A call of Mistral whose first mark was lost. */
const namedAt = (text: string, start: number, mark: string, options: WrittenOptions): Span | number => {
  const json = jsonFrom(text, start + mark.length);
  if (typeof json === 'number') return json;
  if (json.isCut) return json.end - start;
  const name = mark.slice(0, mark.indexOf('['));
  const [call] = options.read(`[TOOL_CALLS]${text.slice(start, json.end)}`).calls;
  if (call !== undefined) return { calls: [asFound(call, options)], end: json.end };
  const args = isObject(json.value) ? json.value : {};
  const problem = isObject(json.value) ? {} : { problem: noObject('the arguments', json.value) };
  return { calls: [{ name, arguments: args, isCut: false, ...problem }], end: json.end };
};
