/** What is shown of a text that is longer than anybody reads, until the person asks for all of it. */

export const LONG_TEXT = {
  /** Twice the longest answers that models give. */
  beginningCharacters: 200_000,
  /** More than a screen holds. Of the end there is this much at least, and twice as much at most. */
  endCharacters: 4_000,
} as const;

/**
 * Its beginning, and its newest words for those who watch it grow. The end begins at the same place for a while, so
 * that what is read does not move. Undefined: the text is shown whole.
 */
export const longText = (text: string): { beginning: string; end: string } | undefined => {
  const { beginningCharacters, endCharacters } = LONG_TEXT;
  if (text.length <= beginningCharacters) return undefined;
  const cut = betweenCharacters(text, beginningCharacters);
  const steps = Math.floor((text.length - beginningCharacters) / endCharacters);
  const endAt = betweenCharacters(text, beginningCharacters + Math.max(0, steps - 1) * endCharacters);
  return { beginning: text.slice(0, cut), end: text.slice(endAt) };
};

/** The place itself, or the one before it where it is within a pair of surrogates. */
const betweenCharacters = (text: string, place: number): number =>
  (text.codePointAt(place - 1) ?? 0) > 0xffff ? place - 1 : place;
