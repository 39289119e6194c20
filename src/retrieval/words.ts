/** Identifiers as words: `parseToolCalls2` and `parse_tool_calls_2` are "parse Tool Calls 2". */

const HUMP = /(\p{Ll}|\d)(?=\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu;
const ASCII_HUMP = /([a-z0-9])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g;
const NOT_ASCII = /[^\x00-\x7f]/;

/** Puts a space at every hump; what is no letter or digit separates words anyway. */
export const splitHumps = (text: string): string =>
  NOT_ASCII.test(text) ? text.replace(HUMP, '$1$2 ') : text.replace(ASCII_HUMP, '$1$2 ');

export const wordsOf = (text: string): string[] =>
  splitHumps(text)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];
