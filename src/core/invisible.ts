/** Characters that nobody can see, or that turn what stands beside them round. Surfaces show them by their number. */

/** For a class of a regular expression with the flag `v`: controls, formats, invisible fillers, separators, lone surrogates. */
export const UNSEEN_CLASS =
  '\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\p{Bidi_Control}\\u2800\\uFFFC\\u{1D173}-\\u{1D17A}\\u{E0000}-\\u{E0FFF}';
const UNSEEN = new RegExp(`[[${UNSEEN_CLASS}]--[\\n\\t]]`, 'gv');

/** Line feeds, carriage returns and tabs are what text is made of. */
const STEERING = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

export const escapeCharacter = (character: string): string => {
  if (character === '\n') return '\\n';
  if (character === '\r') return '\\r';
  if (character === '\t') return '\\t';
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`;
};

/** Each of them, once, as `\u{202E}`; line feeds and tabs are none. */
export const unseenIn = (text: string): string[] => [...new Set(text.match(UNSEEN) ?? [])].map(escapeCharacter);

/** The text with each of them written out; lines stay lines. */
export const visibleText = (text: string): string => text.replaceAll(UNSEEN, escapeCharacter);
/** With what steers a terminal written out, and nothing else: for a file that somebody may look at with `cat`. */
export const visibleControls = (text: string): string => text.replaceAll(STEERING, escapeCharacter);

/** On one line. */
export const visibleLine = (text: string): string => visibleText(text).replaceAll(/[\n\t]/g, escapeCharacter);
