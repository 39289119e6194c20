/** Identifiers as words: `parseToolCalls2` and `parse_tool_calls_2` are "parse Tool Calls 2". */

const HUMP = /(\p{Ll}|\d)(?=\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu;
const ASCII_HUMP = /([a-z0-9])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g;
const NOT_ASCII = /[^\x00-\x7f]/;

/** Puts a space at every hump; what is no letter or digit separates words anyway. */
export const splitHumps = (text: string): string =>
  NOT_ASCII.test(text) ? text.replace(HUMP, '$1$2 ') : text.replace(ASCII_HUMP, '$1$2 ');

/**
 * Words that say how one asks and not what for. Code has names that look like them, so the list is short; it is another
 * than a chat's, where "get" and "need" say nothing.
 */
const ASKING: ReadonlySet<string> = new Set(
  (
    'a an the of to in on at by for from with without and or not is are was were be been being it its this that these those ' +
    'as if then than so such which who whom whose what where when why how do does did done can could should would may might ' +
    'must will shall have has had i we you he she they me my our your his her their them there here also only any all each every some ' +
    'into onto about after before between both but else etc via per'
  ).split(' '),
);
export const isAskingWord = (word: string): boolean => ASKING.has(word);

/** A word that no sentence has: with a hump, an underscore or a digit in it. */
export const looksLikeName = (word: string): boolean => /\p{Ll}\p{Lu}|_|\p{L}\d|\p{Lu}{2}\p{Ll}/u.test(word);

/** So many of its characters are code's marks and not a sentence's. */
const CODE_SHARE = 0.04;
export const looksLikeCode = (text: string): boolean =>
  (text.match(/[(){}[\];=<>]/g) ?? []).length > CODE_SHARE * text.length;
