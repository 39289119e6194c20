/** Identifiers as words: `parseToolCalls2` and `parse_tool_calls_2` are "parse Tool Calls 2". */

const HUMP = /(\p{Ll}|\d)(?=\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu;
const ASCII_HUMP = /([a-z0-9])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g;
const NOT_ASCII = /[^\x00-\x7f]/;

/** Puts a space at every hump; what is no letter or digit separates words anyway. */
export const splitHumps = (text: string): string =>
  NOT_ASCII.test(text) ? text.replace(HUMP, '$1$2 ') : text.replace(ASCII_HUMP, '$1$2 ');

/**
 * Scripts whose words are not told by blanks (in Korean their endings are not). Every character is a word there, and so is
 * each pair of neighbours. Marks above and below letters are left out.
 */
const UNSPACED =
  /(?:(?![\p{P}\p{S}\p{N}\p{Z}])[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}])+/gu;

const splitUnspaced = (text: string, wordsOf: (letters: readonly string[]) => readonly string[]): string =>
  NOT_ASCII.test(text)
    ? text.replace(UNSPACED, (run) => ` ${wordsOf([...run].filter((letter) => /\p{L}/u.test(letter))).join(' ')} `)
    : text;
const pairsOf = (letters: readonly string[]): string[] =>
  letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);

/** A text with every word that it can be found by. */
export const indexedText = (text: string): string =>
  splitHumps(splitUnspaced(text, (letters) => [...letters, ...pairsOf(letters)]));
/** A question with the words to look for: a single character only where it stands alone. */
export const askedText = (text: string): string =>
  splitUnspaced(text, (letters) => (letters.length === 1 ? letters : pairsOf(letters)));

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
