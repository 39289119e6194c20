/** The short mark of a line: what `line-marks.ts` finds it by. */

const MARK_CHARACTERS = 4;
const BASE = 36;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** White space at the end of a line is nothing that a model sees. */
export const lineMark = (text: string): string => {
  let hash = FNV_OFFSET;
  for (const character of text.trimEnd())
    hash = Math.imul(hash ^ (character.codePointAt(0) as number), FNV_PRIME) >>> 0;
  return (hash % BASE ** MARK_CHARACTERS).toString(BASE).padStart(MARK_CHARACTERS, '0');
};

/** `12#ab3f: text`. */
export const numberWithMark = (number: number, text: string): string => `${number}#${lineMark(text)}`;
