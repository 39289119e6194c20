/** A question in a person's words → the words to look for, as the index knows them, and how much each one says. */

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { plainWords, stem } from '../core/words.ts';
import { SEARCH_LIMITS } from './limits.ts';
import { TOKENIZER } from './schema.ts';
import { countedChunks } from './vocabulary.ts';
import { isAskingWord, looksLikeName } from './words.ts';

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
  rare: string[];
  /** The others, which only tell apart what was found: the beginning that all their forms share, and how much each says. */
  common: { stem: string; weight: number }[];
  /** What looks like the name of a symbol, as it was written. */
  names: string[];
};

export type ReadQuery = (query: string) => QueryWords;

/** "shut down" may be written `shutdown`, "file name" `filename`. */
const joined = (words: readonly string[]): string[] =>
  words.slice(1).flatMap((word, at) => {
    const before = words[at] as string;
    return isAskingWord(word) && isAskingWord(before) ? [] : [before + word];
  });

const IDENTIFIER = /[\p{L}_$][\p{L}\p{N}_$]*/gu;

export const createReadQuery = (database: DatabaseSync): ReadQuery => {
  // The tokenizer itself says what a word becomes, in a table of the connection's own.
  database.exec(`
    CREATE VIRTUAL TABLE IF NOT EXISTS temp.asked USING fts5(word, tokenize='${TOKENIZER}');
    CREATE VIRTUAL TABLE IF NOT EXISTS temp.asked_words USING fts5vocab('temp', 'asked', 'instance');
  `);
  const clear = database.prepare('DELETE FROM temp.asked');
  const put = database.prepare('INSERT INTO temp.asked(rowid, word) VALUES (?, ?)');
  const stems: StatementSync = database.prepare(
    `SELECT doc, term, coalesce((SELECT chunks FROM common_words WHERE word = term),
       (SELECT vocabulary.doc FROM vocabulary WHERE vocabulary.term = asked_words.term), 0) AS places
     FROM temp.asked_words ORDER BY places, doc`,
  );

  return (query) => {
    const text = query.slice(0, SEARCH_LIMITS.searchQueryCharacters);
    const said = plainWords(text);
    const single = [...new Set(said)].filter((word) => !isAskingWord(word)).slice(0, SEARCH_LIMITS.searchWords);
    const unique = [...new Set([...single, ...joined(said)])].slice(0, SEARCH_LIMITS.searchWords);
    clear.run();
    for (const [index, word] of unique.entries()) put.run(index + 1, word);
    const chunks = countedChunks(database);
    const seen = new Set<string>();
    const rare: string[] = [];
    const common: QueryWords['common'] = [];
    const words: QueryWord[] = [];
    let room: number = SEARCH_LIMITS.searchPlaces;
    for (const { doc, term, places } of stems.all() as { doc: number; term: string; places: number }[]) {
      // Two words in one are looked for only where somebody writes them so.
      if (seen.has(term) || (places === 0 && doc > single.length)) continue;
      seen.add(term);
      const word = unique[doc - 1] as string;
      const rarity = (chunks - places + 0.5) / (places + 0.5);
      words.push({ word, stem: stem(word), weight: Math.log(1 + Math.max(0, rarity)) });
      // There must be something to begin with: the rarest in any case, and a second one unless it is everywhere.
      const begins = rare.length === 0 || (rare.length === 1 && places <= room + SEARCH_LIMITS.searchPlacesMore);
      if (places <= room || begins) rare.push(word);
      else common.push({ stem: term, weight: Math.max(0, Math.log(rarity)) });
      room -= places;
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
};
