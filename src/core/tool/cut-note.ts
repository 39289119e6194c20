/** What stands at the place where a long text was cut, so that whoever reads on knows that there was more. */

export const cutNote = (what: string): string => `[cut: ${what}]`;

/** A text without the note at its end, and that note. */
export const splitCutNote = (text: string): { text: string; note: string | undefined } => {
  const found = /\n(\[cut: [^\n]*\])\s*$/.exec(text);
  return found ? { text: text.slice(0, found.index), note: found[1] } : { text, note: undefined };
};
