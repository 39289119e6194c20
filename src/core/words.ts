/** Text as words, and words without their endings: what every ranking of texts in this program is built on. */

const ENDINGS: readonly (readonly [RegExp, string])[] = [
  [/(ss|sh|ch|x|z)es$/, '$1'],
  [/ies$/, 'y'],
  [/([^su])s$/, '$1'],
  [/ations?$/, 'ate'],
  [/(at|it|ut|ct|pt|rs|ss)ions?$/, '$1'],
  [/(ings?|ed|ers?|ors?|ly|ment|ness|al)$/, ''],
  [/(.)\1$/, '$1'],
  [/[ey]$/, ''],
];

/** A word without its ending, so that "listing", "lists" and "listed" meet. */
export const stem = (word: string): string => {
  if (word.length <= 3 || /\d/.test(word)) return word;
  let rest = word;
  for (const [ending, instead] of ENDINGS) {
    const shorter = rest.replace(ending, instead);
    if (shorter.length >= 3) rest = shorter;
  }
  return rest;
};

/** All words in their order, identifiers cut at their humps: `readFile2` is "read", "file2". */
export const plainWords = (text: string): string[] =>
  text
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];
