/** JSON that still comes: what is there of it so far, with a text that is being written up to where it is. */
import type { JsonValue } from '../core/json.ts';
import { parseStrictly } from '../dialects/engine/lenient.ts';
import { parseJsonLeniently } from '../dialects/repair-json.ts';
import { HARNESS_LIMITS } from './limits.ts';

/**
 * Undefined where nothing can be told yet. What is JSON so far is read by the engine's own parser; what has to be mended
 * costs many times as much, so of a long text that is left to the end.
 */
export const readPartialJson = (text: string): JsonValue | undefined => {
  const start = text.search(/[{[]/);
  if (start === -1) return undefined;
  const json = text.slice(start).replace(/\n?```\s*$/, '');
  const end = endOf(json);
  if (end.open.length > HARNESS_LIMITS.partialOutputDepth) return undefined;
  const closed = closedText(json, end);
  const strict = parseStrictly(withClosers(closed, end.open));
  if (strict !== undefined) return strict.value;
  if (text.length > HARNESS_LIMITS.partialOutputMendedCharacters) return undefined;
  const read = parseJsonLeniently(closed);
  return read.ok ? read.value : undefined;
};

/** A value that is cut within its quotes is closed; a key that is cut is left out. */
const closedText = (json: string, { opened, open }: End): string => {
  if (opened < 0) return json;
  const before = json.slice(0, opened).trimEnd();
  const isValue = before.endsWith(':') || (open.at(-1) === '[' && /[[,]$/.test(before));
  return isValue ? `${json.slice(0, opened)}${withoutCutEscape(json.slice(opened))}"` : withoutComma(before);
};

const withClosers = (json: string, open: readonly string[]): string =>
  `${withoutComma(json.trimEnd())}${open.map(closerOf).toReversed().join('')}`;
const closerOf = (bracket: string): string => (bracket === '[' ? ']' : '}');
const withoutComma = (json: string): string => (json.endsWith(',') ? json.slice(0, -1) : json);

/** Where the text that the end cuts was opened, -1 where it cuts none, and the brackets that are open there. */
type End = { opened: number; open: readonly string[] };

const endOf = (json: string): End => {
  const open: string[] = [];
  let opened = -1;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (opened >= 0) {
      if (character === '\\') at += 1;
      else if (character === '"') opened = -1;
    } else if (character === '"') opened = at;
    else if (character === '{' || character === '[') open.push(character);
    else if (character === '}' || character === ']') open.pop();
  }
  return { opened, open };
};

/** Of an escape, and of a pair of escapes for one character, a part says nothing. */
const withoutCutEscape = (text: string): string => {
  const cut = /^((?:[^\\]|\\(?:u[0-9A-Fa-f]{4}|[^u]))*)\\(?:u[0-9A-Fa-f]{0,3})?$/.exec(text)?.[1] ?? text;
  return cut.replace(/\\u[Dd][89ABab][0-9A-Fa-f]{2}$/, '').replace(/[\uD800-\uDBFF]$/, '');
};
