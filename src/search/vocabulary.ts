/** How common the common words are, so that a question begins with those that find something at little cost. */

import type { DatabaseSync } from 'node:sqlite';
import { SEARCH_LIMITS } from './limits.ts';

const metaNumber = (database: DatabaseSync, key: string): number =>
  Number(
    (database.prepare('SELECT value FROM meta WHERE key = ?').get(key) as { value: string } | undefined)?.value ?? 0,
  );

/** Counted again when the index has grown or shrunk by a fifth: it is a look through every word. */
export const noteCommonWords = (database: DatabaseSync): void => {
  const { chunks } = database.prepare('SELECT count(*) AS chunks FROM chunks').get() as { chunks: number };
  const before = metaNumber(database, 'counted_chunks');
  if (before > 0 && Math.abs(chunks - before) < before / 5) return;
  database.exec('DELETE FROM common_words');
  database
    .prepare(
      'INSERT INTO common_words(word, chunks) SELECT term, doc FROM vocabulary WHERE doc > ? ORDER BY doc DESC LIMIT ?',
    )
    .run(SEARCH_LIMITS.indexCommonChunks, SEARCH_LIMITS.indexCommonWords);
  database.prepare("INSERT OR REPLACE INTO meta(key, value) VALUES ('counted_chunks', ?)").run(String(chunks));
};

/** Chunks at the time of counting: what the counts of words are parts of. */
export const countedChunks = (database: DatabaseSync): number => metaNumber(database, 'counted_chunks');
