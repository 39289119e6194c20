/** A part of a text that ends where people see a character end: no half of a pair, no family without its children. */

const GRAPHEMES = new Intl.Segmenter('und', { granularity: 'grapheme' });
/** What people see as one character is rarely longer (in UTF-16 units). */
const REACH = 64;

/** Where the character begins that `at` lies within; `at` itself between two. */
const startBefore = (text: string, at: number): number => {
  const from = Math.max(0, at - REACH);
  const around = GRAPHEMES.segment(text.slice(from, at + REACH)).containing(at - from);
  const start = from + (around?.index ?? at - from);
  // Longer than any that people write: only the pair is kept whole.
  return start === from && from > 0 ? at - (isPair(text, at) ? 1 : 0) : start;
};
const isPair = (text: string, at: number): boolean =>
  /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1));

/** The first so many UTF-16 units, or a few less. */
export const beginningOf = (text: string, characters: number): string => {
  if (text.length <= characters) return text.toWellFormed();
  return text.slice(0, startBefore(text, Math.max(0, Math.floor(characters)))).toWellFormed();
};

/** The last so many UTF-16 units, or a few less. */
export const endOf = (text: string, characters: number): string => {
  if (text.length <= characters) return text.toWellFormed();
  const at = text.length - Math.max(0, Math.floor(characters));
  const start = startBefore(text, at);
  return text.slice(start === at ? at : endAfter(text, start)).toWellFormed();
};
const endAfter = (text: string, start: number): number => {
  const { value } = GRAPHEMES.segment(text.slice(start, start + 2 * REACH))
    [Symbol.iterator]()
    .next();
  return start + (value?.segment.length ?? 0);
};
