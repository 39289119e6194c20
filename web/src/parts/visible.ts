/**
 * What cannot be seen, made visible: direction marks, zero-width signs and control characters can make a text look like
 * another one. Where a person decides, every character is shown.
 */
const HIDDEN = new RegExp(
  [
    '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u115f\\u1160\\u3164\\uffa0]',
    '[\\u180b-\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufe00-\\ufe0f\\ufeff\\ufff9-\\ufffb]',
    '\\u034f|\\u17b4|\\u17b5|[\\u{e0000}-\\u{e0fff}]',
  ].join('|'),
  'gu',
);

/** Signs that turn the direction of what follows. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * A text to be read, of a model, a file or a person: what turns its direction is shown and does not work, so that no name
 * looks like another. Marks that languages need stay as they are.
 */
export const readable = (text: string): string =>
  text.replace(TURNS, (sign) => `\\u${(sign.codePointAt(0) as number).toString(16)}`);

export const visible = (text: string): string =>
  text.replace(HIDDEN, (character) => {
    const code = (character.codePointAt(0) as number).toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });
