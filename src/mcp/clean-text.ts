/**
 * What a server says of its tools goes into every prompt, so it may hold nothing that a person cannot see: tag characters
 * spell instructions that no screen shows, controls and turns of the reading order hide what stands beside them.
 */

import { escapeCharacter } from '../core/invisible.ts';
import { thrownText } from '../core/thrown-text.ts';
import { MCP_LIMITS } from './limits.ts';

/** Everything without a shape of its own, but line feeds and tabs. */
const UNSEEN =
  /[[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2800\u{E0000}-\u{E0FFF}]--[\n\t]]/gv;
/** In results only what is never a part of honest text: the other ones belong to scripts and emoji. */
const UNSEEN_IN_RESULT = /[\u{E0001}-\u{E007F}\u202A-\u202E\u2066-\u2069]|\p{Cs}/gu;

export type CleanText = { text: string; removed: number };

const without = (text: string, characters: RegExp): CleanText => {
  let removed = 0;
  const left = text.replaceAll(characters, () => {
    removed += 1;
    return '';
  });
  return { text: left, removed };
};

export const cleanText = (text: string): CleanText => without(text.replaceAll(/\r\n?/g, '\n'), UNSEEN);

/** What a server says to a person: nothing unseen in it, and no more than they will read. */
export const shownText = (text: string, maxCharacters: number): string => cleanText(text).text.slice(0, maxCharacters);

/** What went wrong, where a server may have written the message. */
export const errorText = (error: unknown): string => shownText(thrownText(error), MCP_LIMITS.mcpErrorCharacters);

export const cleanResult = (text: string): string => without(text, UNSEEN_IN_RESULT).text;

/** The same of JSON as `JSON.stringify` spells its texts: half a pair of surrogates is the one character of these in escapes. */
export const cleanJson = (json: string): string =>
  cleanResult(json).replaceAll(/(?<!\\)((?:\\\\)*)\\u[dD][89a-fA-F][\da-fA-F]{2}/g, '$1');

/** With the mark that tells model and person that something was hidden in it. */
export const cleanDescription = (text: string, maxCharacters: number): string => {
  const { text: clean, removed } = cleanText(text);
  const cut = clean.length > maxCharacters ? `${clean.slice(0, maxCharacters).trimEnd()} […]` : clean.trim();
  if (removed === 0) return cut;
  return `${cut}${cut === '' ? '' : ' '}[${removed} invisible character${removed === 1 ? ' was' : 's were'} left out]`;
};

/** A word of a command as a person has to see it: nothing left out, nothing that a terminal obeys. */
export const shownWord = (word: string): string => {
  const escaped = word.replaceAll(UNSEEN, escapeCharacter);
  return /^[\w@%+=:,./-]+$/.test(escaped) ? escaped : JSON.stringify(escaped).replaceAll('\\\\u{', '\\u{');
};
