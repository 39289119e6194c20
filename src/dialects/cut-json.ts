/** JSON in the middle of a text: the value that begins there, whole or as far as it came before the text ended. */
import type { JsonValue } from '../core/json.ts';
import { jsonText, parseStrictly, readLeniently } from './engine/lenient.ts';
import { ValueScanner } from './engine/value-scanner.ts';

export type JsonAt = {
  value: JsonValue;
  /** Where it ends in the text. */
  end: number;
  /** The text ends inside it. What was begun last may be a part of a word. */
  isCut: boolean;
};

/** The value that a text begins with; undefined where it is no JSON. */
export const jsonAt = (text: string): JsonAt | undefined => {
  const found = jsonFrom(text, 0);
  return typeof found === 'number' ? undefined : found;
};

/** The value that begins at `start`; where it is no JSON, how many characters were read in vain. */
export const jsonFrom = (text: string, start: number): JsonAt | number => {
  const sink = jsonText();
  const scanner = new ValueScanner(sink, {});
  const end = scanner.feed(text, start, text.length);
  scanner.finish();
  if (scanner.outcome === 'whole') {
    const read = parseStrictly(sink.json);
    return read ? { value: read.value, end, isCut: false } : end - start;
  }
  const isAtEnd = scanner.outcome === 'cut' || (scanner.outcome === 'open' && text.slice(end).trim() === '');
  const value = isAtEnd ? closed(text.slice(start)) : undefined;
  return value === undefined ? end - start : { value, end: text.length, isCut: true };
};

/**
 * What would have to follow, so that the brackets that are open are closed. Undefined where none is. `by`: whether a bracket
 * is closed by any closer, or also by that of one that encloses it, and by no other.
 */
export const missingEnd = (
  text: string,
  by: 'any' | 'by what encloses it' = 'any',
): { inString: boolean; brackets: string } | undefined => {
  const open: string[] = [];
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if (quote !== '') {
      if (character === '\\') at += 1;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '{') open.push('}');
    else if (character === '[') open.push(']');
    else if (character === '}' || character === ']')
      open.length = lengthBehind(open, by === 'any' ? undefined : character);
  }
  return open.length === 0 ? undefined : { inString: quote !== '', brackets: open.reverse().join('') };
};

const lengthBehind = (open: readonly string[], closer: string | undefined): number => {
  if (closer === undefined) return Math.max(0, open.length - 1);
  const at = open.lastIndexOf(closer);
  return at === -1 ? open.length : at;
};

const closed = (text: string): JsonValue | undefined => {
  const lacks = missingEnd(text);
  if (lacks === undefined) return undefined;
  const base = lacks.inString ? `${text.replace(/\\(?:u[\da-f]{0,3})?$/i, '')}"` : text.trimEnd();
  // The text ended in a value, behind a key, behind a colon or a comma, or in a bare word.
  const endings = [base, `${base}:null`, `${base}null`, base.replace(/,$/, ''), `${withoutWord(base)}null`];
  for (const ending of endings) {
    const read = parseStrictly(ending + lacks.brackets) ?? readLeniently(ending + lacks.brackets);
    if (read !== undefined) return read.value;
  }
  return undefined;
};

const WORD = /[\w.+-]/;
const withoutWord = (text: string): string => {
  let end = text.length;
  while (end > 0 && WORD.test(text[end - 1] as string)) end -= 1;
  return text.slice(0, end);
};
