/** Untrusted text, made fit for a model: no controls, and nothing that a person who looks at it could not see. */

/** Line ends, and spaces of every kind that stand for one. */
const LINE_ENDS = /\r\n?|[\u2028\u2029\u0085]/g;
const CONTROLS = /[\0-\u0008\u000b-\u001f\u007f-\u009f]/g;
/**
 * Directions, joiners of nothing, tags that spell hidden words. The joiners that Persian, Indic scripts and emoji need
 * (U+200C, U+200D) and variation selectors of emoji stay.
 */
const UNSEEN =
  /\u034f|[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]|[\ud800-\udfff]/gu;

export const cleanText = (text: string): string =>
  text.replace(LINE_ENDS, '\n').replace(CONTROLS, '').replace(UNSEEN, '');

/** For Markdown and plain text: no trailing blanks, at most one empty line. */
export const tidyText = (text: string): string =>
  cleanText(text)
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

export const oneLine = (text: string): string => cleanText(text).replace(/\s+/g, ' ').trim();

/** At most so many characters, never half of one. */
export const cutText = (text: string, maxCharacters: number): string => {
  if (text.length <= maxCharacters) return text;
  const cut = text.slice(0, maxCharacters);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
};
