/** JSON as models write it: read with the fewest repairs, and a list of them. */
import type { JsonValue } from '../core/json.ts';
import type { Repair } from '../core/message.ts';
import { isNestedDeeper, TOO_DEEP } from '../core/nested-json.ts';
import { type JsonText, jsonText, noteRepair, parseStrictly } from './engine/lenient.ts';
import { isSpace } from './engine/scanner.ts';
import { ValueScanner } from './engine/value-scanner.ts';
import { withoutOpenFence } from './fence.ts';

export type LenientJson = { ok: true; value: JsonValue; repairs: Repair[] } | { ok: false; problem: string };

/**
 * Repairs trailing, missing and doubled commas, other quotes than JSON's, Python's and JavaScript's literals, unquoted
 * keys, missing closers, raw line breaks, comments, a code fence around the text, and JSON inside a JSON string. Words
 * that could mean anything are not guessed at. Where the repair `missing_closer` is listed, the text may have been cut, and
 * the value be a part of what was meant.
 */
export const parseJsonLeniently = (text: string): LenientJson => {
  const strict = parseStrictly(text);
  if (strict !== undefined) return unpack(strict.value, []);
  const sink = jsonText();
  const inner = withoutOpenFence(text);
  if (inner !== text) sink.repaired('code_fence');
  const scanner = new ValueScanner(sink);
  const at = scanner.feed(inner, 0, inner.length);
  scanner.finish();
  if (scanner.outcome === 'cut' && !scanner.closeAll()) return { ok: false, problem: 'it ends before it is complete' };
  if (scanner.outcome !== 'whole')
    return { ok: false, problem: isNestedDeeper(inner) ? TOO_DEEP : `it cannot be read from ${excerpt(inner, at)} on` };
  if (!endsThere(inner, at, sink))
    return { ok: false, problem: `there is more behind the value: ${excerpt(inner, at)}` };
  const parsed = parseStrictly(sink.json, sink.words);
  return parsed === undefined ? { ok: false, problem: 'it is no JSON' } : unpack(parsed.value, sink.repairs);
};

/** A string that holds an object or an array stands for it. */
const unpack = (value: JsonValue, repairs: Repair[]): LenientJson => {
  if (typeof value === 'string' && /^\s*[{[]/.test(value)) {
    const inner = parseJsonLeniently(value);
    if (inner.ok && typeof inner.value === 'object') {
      noteRepair(repairs, 'double_encoded');
      return { ok: true, value: inner.value, repairs: [...repairs, ...inner.repairs] };
    }
  }
  return { ok: true, value, repairs };
};

const EXCERPT_CHARACTERS = 40;
const excerpt = (text: string, at: number): string =>
  JSON.stringify(text.slice(Math.max(0, at - 1), at + EXCERPT_CHARACTERS));

/** Behind the value only white space and brackets too many may stand. */
const endsThere = (text: string, at: number, sink: JsonText): boolean => {
  for (; at < text.length; at++) {
    const char = text[at] as string;
    if (char === '}' || char === ']') sink.repaired('extra_closer');
    else if (!isSpace(char.charCodeAt(0)) && char !== ';' && char !== ',') return false;
  }
  return true;
};
