/** JSON that may have been cut: whether a text that ends before its brackets are closed is read at all. */
import { missingEnd } from './cut-json.ts';
import { parseStrictly } from './engine/lenient.ts';
import { type LenientJson, parseJsonLeniently } from './repair-json.ts';

/**
 * `close if sure`: where nothing but braces of objects is missing, and the text does not end in a number, in a list or before
 * a value, as a cut would have it.
 */
export type Unclosed = 'close if sure' | 'refuse';

/** As `parseJsonLeniently` reads it. */
export const readJsonText = (text: string, unclosed: Unclosed): LenientJson => {
  const read = parseJsonLeniently(text);
  if (!read.ok || !read.repairs.some(({ kind }) => kind === 'missing_closer') || isClosed(text)) return read;
  return unclosed === 'close if sure' && endsSurely(text) ? read : NOT_CLOSED;
};

export const NOT_CLOSED: LenientJson = { ok: false, problem: 'it ends before it is complete' };

/**
 * The outermost bracket is closed, be it that one within is not: what comes behind that is there, so the end of the text cut
 * nothing. No beginning of JSON is closed.
 */
export const isClosed = (given: string): boolean => {
  const text = unwrapped(given);
  if (!/[[{]/.test(text) || missingEnd(text, 'by what encloses it') !== undefined) return false;
  // A quote behind the closer may be the end of a text in which it stands: `{"a": "say "}" and mo`.
  const quoted = text.slice(0, text.lastIndexOf('"') + 1);
  return quoted === '' || missingEnd(quoted, 'by what encloses it') !== undefined;
};

/** JSON that stands in a text of JSON is judged as if it stood alone. */
const unwrapped = (text: string): string => {
  const inside = parseStrictly(text)?.value;
  return typeof inside === 'string' ? unwrapped(inside) : text;
};

const endsSurely = (given: string): boolean => {
  const text = unwrapped(given);
  const lacks = missingEnd(text);
  return lacks !== undefined && !lacks.inString && /^\}+$/.test(lacks.brackets) && SURE_END.test(text);
};

/** A text, a bracket, a whole word; or a number that white space ends. */
const SURE_END = /(?:["'}\]]|\b(?:true|false|null|True|False|None)|\d\s)\s*$/;
