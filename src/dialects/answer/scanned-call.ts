/**
 * Calls in the dialect whose document looks for objects with a name and arguments anywhere in a text, which nothing else
 * reads: to no tool, without a usable name, with arguments that are no object. What is quoted or shown stays a text.
 */
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { DIALECT_LIMITS } from '../../core/limits/dialect-limits.ts';
import { endOfString } from '../../core/written-numbers.ts';
import { jsonText, parseStrictly, readLeniently } from '../engine/lenient.ts';
import { ValueScanner } from '../engine/value-scanner.ts';
import { isSample } from '../sample.ts';
import type { UnreadCall } from '../unread-call.ts';
import { AMONG, CUT, NAMELESS, noObject } from './call-words.ts';

/** Characters that are read in vain, for each character of the text, before the rest of it is left unread. */
const VAIN_READS = 8;
const VAIN_CHARACTERS = 10_000;
/** Calls of one answer that go back; more of them tell the model nothing more. */
const CALLS_MAX = 50;
/** Characters before a bracket that may be a mark. */
const LOOKED_AT = 100;
/** What stands in quotation marks is quoted. */
const SIGN = /```|`|(?<![`"'“‘„«\\])\{/g;
const BEGUN = /\{\s*"name"\s*:\s*"([^"\n]{0,128})"\s*,\s*"arguments"\s*:/y;
/** Between the marks of another notation its own rules hold. */
const OTHER_MARK = /(?:<[^<>\n]{1,60}>|\[[A-Z_]{3,20}\])\s*\[?\s*$/;
const FENCE = '```';

/** In their order. */
export const scannedCalls = (text: string, isTool: (name: string) => boolean): UnreadCall[] => {
  const found: UnreadCall[] = [];
  const last = text.lastIndexOf('arguments');
  const length = text.trimEnd().length;
  const first = text.search(/\S/);
  let vain = VAIN_CHARACTERS + VAIN_READS * length;
  /** Brackets around what is nested deeper than can be read: each would be read in vain as far. */
  const tooDeep = new Set<number>();
  let from = 0;
  let dataEnd = 0;
  for (const start of openBrackets(text)) {
    if (start > last || vain < 0 || found.length === CALLS_MAX) break;
    if (start < from || tooDeep.has(start)) continue;
    const read = objectAt(text, start, length);
    const written = text.slice(start, read.end);
    const call = read.isCut ? cutCall(written) : read.value && wholeCall(read.value, written, start < dataEnd);
    if (call === undefined) {
      if (read.value && !holdsCall(read.value)) from = read.end;
      else vain -= read.end - start;
      if (!read.value && !read.isCut) for (const at of deepBrackets(text, start, read.end)) tooDeep.add(at);
      // What stands in data has to be a call in every part of it.
      if (read.value || read.isCut) dataEnd = Math.max(dataEnd, read.end);
      continue;
    }
    from = read.end;
    const before = text.slice(0, start);
    if (isSample(before) || OTHER_MARK.test(before.slice(-LOOKED_AT))) continue;
    if (start === first && read.end >= length) return [call];
    found.push({ ...call, ...(isTool(call.name) ? { problem: call.problem ?? AMONG } : {}), isPart: true });
  }
  return found;
};

/** The places of brackets that stand neither in a fence nor in inline code. */
const openBrackets = (text: string): number[] => {
  const found: number[] = [];
  let offset = 0;
  let isFenced = false;
  for (const line of text.split('\n')) {
    const lastTick = line.lastIndexOf('`');
    let ticks = 0;
    for (const { 0: sign, index } of line.matchAll(SIGN)) {
      const isInline = ticks % 2 === 1 && lastTick > index;
      if (sign === '{' && !isFenced && !isInline) found.push(offset + index);
      if (sign !== '{') ticks += sign.length;
      if (sign === FENCE) isFenced = !isFenced;
    }
    offset += line.length + 1;
  }
  return found;
};

type ObjectAt = { end: number; value?: JsonObject; isCut: boolean };

/** `isCut`: the text ends inside it. Neither whole nor cut, it is none, and was read so far. */
const objectAt = (text: string, start: number, length: number): ObjectAt => {
  const sink = jsonText();
  const scanner = new ValueScanner(sink, {});
  const end = scanner.feed(text, start, text.length);
  scanner.finish();
  const value = scanner.outcome === 'whole' ? parseStrictly(sink.json)?.value : undefined;
  if (isObject(value)) return { end, value, isCut: false };
  const isCut = scanner.outcome === 'cut' || (scanner.outcome === 'open' && end >= length);
  return { end: isCut ? text.length : end, isCut };
};

/** Those that are open where reading ended, if they are as many as are read. */
const deepBrackets = (text: string, start: number, end: number): readonly number[] => {
  const open: number[] = [];
  for (let at = start; at < end; at++) {
    const character = text[at];
    if (character === '"') {
      const close = endOfString(text, at);
      at = close < 0 ? end : close;
    } else if (character === '{' || character === '[') open.push(at);
    else if (character === '}' || character === ']') open.pop();
  }
  return open.length >= DIALECT_LIMITS.depth ? open : [];
};

const holdsCall = (value: JsonValue | undefined): boolean => {
  if (Array.isArray(value)) return value.some(holdsCall);
  if (!isObject(value)) return false;
  return wholeCall(value, '', true) !== undefined || Object.values(value).some(holdsCall);
};

/** `isData`: it stands in other data, where a name beside `arguments: "none"` is an entry of it. */
const wholeCall = (value: JsonObject, text: string, isData: boolean): UnreadCall | undefined => {
  const { name, arguments: given } = value;
  if (name === undefined || given === undefined) return undefined;
  const args = typeof given === 'string' ? readLeniently(given.trim())?.value : given;
  const called = typeof name === 'string' ? name.trim() : '';
  if (isData && (called === '' || !isObject(args))) return undefined;
  if (!isObject(args)) return { name: called, arguments: {}, problem: noObject('arguments', given), text };
  if (called === '') return { name: '', arguments: args, problem: NAMELESS, text };
  return { name: called, arguments: args, text };
};

const cutCall = (text: string): UnreadCall | undefined => {
  BEGUN.lastIndex = 0;
  const name = BEGUN.exec(text)?.[1];
  return name === undefined ? undefined : { name: name.trim(), arguments: {}, problem: CUT, text, isCut: true };
};
