/**
 * A call in the dialect whose document looks for objects with a name and arguments anywhere in a text, which nothing else
 * reads: to no tool, without a usable name, with arguments that are no object. What is quoted or shown stays a text.
 */
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { jsonFrom } from '../cut-json.ts';
import { readLeniently } from '../engine/lenient.ts';
import { isSample } from '../sample.ts';
import type { UnreadCall } from '../unread-call.ts';
import { AMONG, CUT, NAMELESS, noObject } from './call-words.ts';

/** Brackets that are looked at in one text, from its beginning. */
const BRACKETS_MAX = 30;
/** Characters before a bracket that may be a mark. */
const LOOKED_AT = 100;
/** What stands in quotation marks is quoted. */
const BRACKET = /(?<![`"'“‘„«\\])\{/g;
const BEGUN = /^\{\s*"name"\s*:\s*"[^"\n]{0,128}"\s*,\s*"arguments"\s*:/;
/** Between the marks of another notation its own rules hold. */
const OTHER_MARK = /(?:<[^<>\n]{1,60}>|\[[A-Z_]{3,20}\])\s*\[?\s*$/;
const FENCE = '```';

/** The first one in the text. */
export const scannedCall = (text: string, isTool: (name: string) => boolean): UnreadCall | undefined => {
  let from = 0;
  for (const { index: start } of [...text.matchAll(BRACKET)].slice(0, BRACKETS_MAX)) {
    if (start < from || isQuoted(text, start)) continue;
    const read = jsonFrom(text, start);
    if (typeof read === 'number' || !isObject(read.value)) continue;
    const end = read.isCut ? text.length : read.end;
    const written = text.slice(start, end);
    const call = read.isCut ? cutCall(written, read.value) : wholeCall(read.value, written);
    if (call === undefined) continue;
    from = end;
    const before = text.slice(0, start);
    const isKnown = isTool(call.name);
    if (isSample(before) || OTHER_MARK.test(before.slice(-LOOKED_AT))) continue;
    if (before.trim() === '' && text.slice(end).trim() === '') return call;
    return { ...call, ...(isKnown ? { problem: call.problem ?? AMONG } : {}), isPart: true };
  }
  return undefined;
};

/** In a fence or in inline code. */
const isQuoted = (text: string, start: number): boolean => {
  const before = text.slice(0, start);
  if (before.split(FENCE).length % 2 === 0) return true;
  const isOpen = before.slice(before.lastIndexOf('\n') + 1).split('`').length % 2 === 0;
  return isOpen && (text.slice(start).split('\n', 1)[0] ?? '').includes('`');
};

const wholeCall = (value: JsonObject, text: string): UnreadCall | undefined => {
  const { name, arguments: given } = value;
  if (name === undefined || given === undefined) return undefined;
  const args = typeof given === 'string' ? readLeniently(given.trim())?.value : given;
  const called = typeof name === 'string' ? name.trim() : '';
  if (!isObject(args)) return { name: called, arguments: {}, problem: noObject('arguments', given), text };
  if (called === '') return { name: '', arguments: args, problem: NAMELESS, text };
  return { name: called, arguments: args, text };
};

const cutCall = (text: string, { name }: Record<string, JsonValue>): UnreadCall | undefined =>
  typeof name === 'string' && BEGUN.test(text)
    ? { name: name.trim(), arguments: {}, problem: CUT, text, isCut: true }
    : undefined;
