/** A question in a person's words → the words to look for, as the index knows them, and how much each one says. */

import type { IndexTables, SoughtWord } from '../core/index-port.ts';
import { plainWords, stem } from '../core/words.ts';
import { SEARCH_LIMITS } from './limits.ts';
import { askedText, isAskingWord, looksLikeName } from './words.ts';

type QueryWord = {
  word: string;
  /** As names are compared. */
  stem: string;
  /** How much it says: the fewer parts have it, the more. */
  weight: number;
};

export type QueryWords = {
  /** All of them, the rarest first; the tokenizer stems them. */
  words: QueryWord[];
  /** The first that is looked for: what a comment does, it says first. */
  first: string | undefined;
  /** Those that the search begins with: the rarest, as many as it can afford. */
  rare: SoughtWord[];
  /** The others, which only tell apart what was found: the beginning that all their forms share, and how much each says. */
  common: { stem: string; weight: number }[];
  /** What looks like the name of a symbol, as it was written. */
  names: string[];
};

export type ReadQuery = (query: string) => Promise<QueryWords>;

/** "shut down" may be written `shutdown`, "file name" `filename`. */
const joined = (words: readonly string[]): string[] =>
  words.slice(1).flatMap((word, at) => {
    const before = words[at] as string;
    return isAskingWord(word) && isAskingWord(before) ? [] : [before + word];
  });

const IDENTIFIER = /[\p{L}_$][\p{L}\p{N}_$]*/gu;

export const createReadQuery =
  (tables: IndexTables): ReadQuery =>
  async (query) => {
    const text = query.slice(0, SEARCH_LIMITS.searchQueryCharacters);
    const said = plainWords(askedText(text));
    const single = [...new Set(said)].filter((word) => !isAskingWord(word)).slice(0, SEARCH_LIMITS.searchWords);
    const unique = [...new Set([...single, ...joined(said)])].slice(0, SEARCH_LIMITS.searchWords);
    const { chunks, terms } = await tables.terms(unique);
    const sorted = terms.toSorted((a, b) => a.parts - b.parts || a.at - b.at);
    const seen = new Set<string>();
    const rare: SoughtWord[] = [];
    const common: QueryWords['common'] = [];
    const words: QueryWord[] = [];
    let room: number = SEARCH_LIMITS.searchPlaces;
    for (const { at, term, parts } of sorted) {
      // Two words in one are looked for only where somebody writes them so.
      if (seen.has(term) || (parts === 0 && at >= single.length)) continue;
      seen.add(term);
      const word = unique[at] as string;
      const rarity = (chunks - parts + 0.5) / (parts + 0.5);
      const weight = Math.log(1 + Math.max(0, rarity));
      words.push({ word, stem: stem(word), weight });
      // There must be something to begin with: the rarest in any case, and a second one unless it is everywhere.
      const begins = rare.length === 0 || (rare.length === 1 && parts <= room + SEARCH_LIMITS.searchPlacesMore);
      if (parts <= room || begins) rare.push({ word, term, weight });
      else common.push({ stem: term, weight: Math.max(0, Math.log(rarity)) });
      room -= parts;
    }
    const written = text.match(IDENTIFIER) ?? [];
    const few = single.length <= 3;
    const names = [...new Set(written.filter((word) => few || looksLikeName(word)))].slice(
      0,
      SEARCH_LIMITS.searchWords,
    );
    const [first] = single;
    return { words, first: first && stem(first), rare, common, names };
  };
