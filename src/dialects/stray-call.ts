/**
 * A call that stands anywhere in an answer, in any notation, whole or cut off: what is left where neither the parser nor
 * `unread-call.ts` knows one. Whoever runs the conversation decides what becomes of it, by the place where it stands.
 */
import { isObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { jsonAt } from './cut-json.ts';
import { isPresented, isSample } from './sample.ts';
import type { ParseResult } from './types.ts';

/** A call that stands in an answer and that nothing else reads. */
export type StrayCall = {
  /** Empty where it names none. */
  name: string;
  arguments: JsonObject;
  text: string;
  /** The whole answer; a line of its own; behind a sentence; in the middle of one. */
  place: 'alone' | 'line' | 'sentence' | 'word';
  /** The answer ends inside it. */
  isCut: boolean;
  /** Nothing follows it. */
  isLast: boolean;
  /** The words before it may show it, and its tool is there. */
  isShown?: true;
};

export type StrayOptions = {
  /** Of tools on offer. */
  names: readonly string[];
  isTool(name: string): boolean;
  /** In any notation, without knowing of tools. */
  read(text: string): ParseResult;
};

/** Where a call can begin. What stands in quotation marks or backticks is quoted. */
const START =
  /(?<![`"'“‘])(?:(?<![\w({[:,\\])(?=\{)|(?<![\w({[:,\\])(?=\[\s*\{)|(?=\[TOOL_CALLS\])|(?=<\|?[^<>\s]{0,40}(?:tool|call|function|invoke|python_tag))|(?<![\w.\]-])(?=[A-Za-z_][\w.-]{0,127}\[(?:ARGS\]|(?:A(?:R(?:GS?)?)?)?$)))/gi;
/** Places that are looked at in one text, from its end. */
const STARTS_MAX = 30;
const LABEL = /^\s*(?:(?:[-*•]|\d+[.)]|>|json|tool_call|Action:|Tool:|Call:)\s*)?$/i;
const NAMES = ['name', 'tool', 'function'];
const ARGUMENTS = ['arguments', 'args', 'parameters'];
const WRAPPERS = ['tool_calls', 'calls', 'function_calls', 'tool_call', 'function'];
const KEYS = [...NAMES, ...ARGUMENTS, ...WRAPPERS, 'id', 'type', 'index'];
/** A key of so many letters tells, by itself, that a call was begun. */
const TELLING_LETTERS = 3;
const MARKED_NAME = /^(?:\[TOOL_CALLS\]|<function\s*=\s*"?|<invoke\s+name\s*=\s*"?)?\s*([A-Za-z_][\w.-]{0,127})/;
const MARKER = /^(?:\[TOOL_CALLS\]|<\|?[^<>\s]{1,60}>?)\s*/;

type Found = { name: string; arguments: JsonObject; isCut: boolean; behind: string };

/** The first one; undefined where there is none, or it is a sample of a call that nobody can make. */
export const strayCall = (answer: string, options: StrayOptions): StrayCall | undefined => {
  const whole = answer.trim();
  const text = openFence(whole);
  if (text === undefined) return undefined;
  for (const { index: start } of [...text.matchAll(START)].slice(-STARTS_MAX)) {
    const before = text.slice(0, start);
    const rest = text.slice(start);
    if (isFenced(before) || isInlineCode(before, rest)) continue;
    const found = callAt(rest, before.trim() === '', options);
    if (found === undefined) continue;
    const isKnown = !found.isCut && options.isTool(found.name);
    if (!isKnown && isSample(before)) return undefined;
    const { behind, ...call } = found;
    const shown = isKnown && isPresented(before) ? { isShown: true as const } : {};
    return { ...call, text: rest, place: placeOf(before), isLast: behind.trim() === '', ...shown };
  }
  return undefined;
};

/** The last fence is a call's where nothing follows it; its marks are left out. */
const openFence = (text: string): string | undefined => {
  const marks = text.split('```');
  if (marks.length === 1) return text;
  if (marks.length % 2 === 1 && (marks.at(-1) ?? '').trim() === '') marks.pop();
  else if (marks.length % 2 === 1) return text;
  const last = (marks.pop() ?? '').replace(/^\w*[ \t]*\n/, '');
  return `${marks.join('```').trimEnd()}\n${last}`;
};

const isFenced = (before: string): boolean => before.split('```').length % 2 === 0;

const isInlineCode = (before: string, rest: string): boolean => {
  const isOpen = before.slice(before.lastIndexOf('\n') + 1).split('`').length % 2 === 0;
  return isOpen && (rest.split('\n', 1)[0] ?? '').includes('`');
};

const placeOf = (before: string): StrayCall['place'] => {
  if (before.trim() === '') return 'alone';
  if (LABEL.test(before.slice(before.lastIndexOf('\n') + 1))) return 'line';
  return /[.!?:…]\s*$/.test(before) ? 'sentence' : 'word';
};

const callAt = (text: string, isAlone: boolean, options: StrayOptions): Found | undefined => {
  if (/^(?:\{|\[\s*\{)/.test(text)) return objectAt(text, isAlone, options);
  const named = /^([A-Za-z_][\w.-]*)\[(?:ARGS\]\s*|[ARGS]{0,4}$)/i.exec(text);
  if (named === null || /^\[TOOL_CALLS\]/.test(text)) return markedAt(text, options);
  const [mark, name = ''] = named;
  if (!mark.includes(']') && !options.isTool(name)) return undefined;
  const read = jsonAt(text.slice(mark.length));
  const isEnd = text.length === mark.length;
  if (read === undefined && !isEnd) return undefined;
  const args = read !== undefined && !read.isCut && isObject(read.value) ? read.value : {};
  const behind = read === undefined ? '' : text.slice(mark.length + read.end);
  return { name, arguments: args, isCut: isEnd || read?.isCut === true, behind };
};

const objectAt = (text: string, isAlone: boolean, options: StrayOptions): Found | undefined => {
  const read = jsonAt(text);
  if (read === undefined) return undefined;
  const { value, end, isCut } = read;
  const call = isCut ? cutCall(value, isAlone, options) : wholeCall(value, options);
  return call && { ...call, isCut, behind: text.slice(end) };
};

type Named = Pick<Found, 'name' | 'arguments'>;

/** The object inside lists and wrappers; of a text that was cut, the last one. */
const inner = (value: JsonValue | undefined): JsonObject | undefined => {
  if (Array.isArray(value)) return inner(value.at(-1));
  if (!isObject(value)) return undefined;
  for (const key of WRAPPERS) if (typeof value[key] === 'object' && value[key] !== null) return inner(value[key]);
  return value;
};

const wholeCall = (value: JsonValue, { isTool }: StrayOptions): Named | undefined => {
  const call = inner(value);
  const name = NAMES.map((key) => call?.[key]).find((one) => typeof one === 'string');
  const key = ARGUMENTS.find((one) => call !== undefined && Object.hasOwn(call, one));
  if (call === undefined || typeof name !== 'string' || name.trim() === '' || key === undefined) return undefined;
  const args = call[key];
  // Of a tool that there is not, such an object may be data.
  const isExact = Object.keys(call).every((one) => KEYS.includes(one));
  if (!isTool(name.trim()) && !(isExact && isObject(args))) return undefined;
  return { name: name.trim(), arguments: isObject(args) ? args : {} };
};

const cutCall = (value: JsonValue, isAlone: boolean, { isTool, names }: StrayOptions): Named | undefined => {
  const call = inner(value);
  if (call === undefined) return undefined;
  const keys = Object.keys(call);
  // Only the last key can be a part of one, and it has no value then.
  const isPart = (key: string): boolean => key === keys.at(-1) && call[key] === null;
  if (!keys.every((key) => KEYS.some((known) => (isPart(key) ? known.startsWith(key) : known === key))))
    return undefined;
  const name = NAMES.map((key) => call[key]).find((one) => typeof one === 'string');
  if (typeof name === 'string') {
    const rest = keys.filter((key) => !NAMES.includes(key));
    if (isTool(name) || rest.some((key) => key.length >= TELLING_LETTERS)) return { name, arguments: {} };
    return names.some((one) => one.startsWith(name)) ? { name: '', arguments: {} } : undefined;
  }
  const isTold = keys.some((key) => key.length >= TELLING_LETTERS) || (isAlone && keys.length > 0);
  return isTold ? { name: '', arguments: {} } : undefined;
};

/** Behind a marker of any notation. */
const markedAt = (text: string, options: StrayOptions): Found | undefined => {
  const { calls, broken, content } = options.read(text);
  const [first] = calls;
  if (first !== undefined) {
    const begins = content !== '' && text.startsWith(content.slice(0, TELLING_LETTERS));
    return begins ? undefined : { name: first.name, arguments: first.arguments, isCut: false, behind: content };
  }
  const cut = broken[0];
  if (cut?.problem !== 'truncated') return undefined;
  const object = jsonAt(text.replace(MARKER, ''));
  const called = object && cutCall(object.value, true, options);
  const name = cut.name ?? called?.name ?? MARKED_NAME.exec(text)?.[1] ?? '';
  // The name itself may be what was cut.
  const isPart = !options.isTool(name) && options.names.some((one) => one.startsWith(name));
  return { name: isPart ? '' : name, arguments: {}, isCut: true, behind: '' };
};
