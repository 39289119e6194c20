/** A question in a person's words → the words to look for, as the index knows them. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LIMITS } from '../core/limits.ts';
import { plainWords } from '../core/words.ts';
import { TOKENIZER } from './schema.ts';
import { isAskingWord } from './words.ts';

export type QueryWords = {
  /** As they are looked for; the tokenizer stems them. */
  words: string[];
  /** Those of them that are rare enough to begin with. */
  rare: string[];
  /** What looks like the name of a symbol, as it was written. */
  names: string[];
};

export type ReadQuery = (query: string) => QueryWords;

const IDENTIFIER = /[\p{L}_$][\p{L}\p{N}_$]*/gu;
const looksLikeName = (word: string): boolean => /\p{Ll}\p{Lu}|_|\p{L}\d|\p{Lu}{2}\p{Ll}/u.test(word);

export const createReadQuery = (database: DatabaseSync): ReadQuery => {
  // The tokenizer itself says what a word becomes, in a table of the connection's own.
  database.exec(`
    CREATE VIRTUAL TABLE IF NOT EXISTS temp.asked USING fts5(word, tokenize='${TOKENIZER}');
    CREATE VIRTUAL TABLE IF NOT EXISTS temp.asked_words USING fts5vocab('temp', 'asked', 'instance');
  `);
  const clear = database.prepare('DELETE FROM temp.asked');
  const put = database.prepare('INSERT INTO temp.asked(rowid, word) VALUES (?, ?)');
  const stems: StatementSync = database.prepare(
    'SELECT doc, term, EXISTS(SELECT 1 FROM common_words WHERE word = term) AS common FROM temp.asked_words',
  );

  return (query) => {
    const text = query.slice(0, LIMITS.searchQueryCharacters);
    const unique = [...new Set(plainWords(text))].filter((word) => !isAskingWord(word)).slice(0, LIMITS.searchWords);
    clear.run();
    for (const [index, word] of unique.entries()) put.run(index + 1, word);
    const common = new Set<number>();
    const seen = new Set<string>();
    const words: string[] = [];
    const rare: string[] = [];
    for (const row of stems.all() as { doc: number; term: string; common: number }[]) {
      if (seen.has(row.term)) continue;
      seen.add(row.term);
      const word = unique[row.doc - 1] as string;
      words.push(word);
      if (row.common) common.add(row.doc);
      else rare.push(word);
    }
    const written = text.match(IDENTIFIER) ?? [];
    const few = unique.length <= 3;
    const names = [...new Set(written.filter((word) => few || looksLikeName(word)))].slice(0, LIMITS.searchWords);
    return { words, rare, names };
  };
};
