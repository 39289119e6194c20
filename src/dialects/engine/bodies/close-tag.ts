/** Close tags that a model wrote nearly right. */

/** What is added to a tag, or has been lost of it, at most. */
const DAMAGED_CHARACTERS = 4;
/** How much of a tag has to be as it should be. */
const INTACT_SHARE = 0.6;

/** The longest text that can be a damaged one of these tags. */
export const longestDamaged = (tags: readonly string[]): number =>
  Math.max(0, ...tags.map((tag) => tag.length)) + DAMAGED_CHARACTERS;

/** A tag with letters changed, lost or added, or cut off: `</parAM>`, `</paramter>`, `</parameter`. */
export const isDamaged = (text: string, tags: readonly string[]): boolean =>
  tags.some((tag) => isNearly(text.toLowerCase(), tag.toLowerCase()));

const isNearly = (text: string, tag: string): boolean => {
  if (text.length < DAMAGED_CHARACTERS || text.length > tag.length + DAMAGED_CHARACTERS) return false;
  if (tag.startsWith(text)) return true;
  let start = 0;
  while (start < text.length && text[start] === tag[start]) start++;
  let end = 0;
  while (end < text.length - start && text.at(-1 - end) === tag.at(-1 - end)) end++;
  return start + end >= tag.length * INTACT_SHARE;
};

/** The text ends with what is left of one of these tags, be it without its first characters. */
export const endsDamaged = (text: string, tags: readonly string[]): boolean => {
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) {
    if (isDamaged(text.slice(at), tags)) return true;
  }
  return tags.some((tag) => text.endsWith(tag.slice(2)));
};
