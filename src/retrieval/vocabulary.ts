/** Which words are so common that looking for them alone costs much and finds nothing. */
import type { DatabaseSync } from 'node:sqlite';
import { LIMITS } from '../core/limits.ts';

const chunkCount = (database: DatabaseSync): number =>
  (database.prepare('SELECT count(*) AS n FROM chunks').get() as { n: number }).n;

const metaNumber = (database: DatabaseSync, key: string): number =>
  Number(
    (database.prepare('SELECT value FROM meta WHERE key = ?').get(key) as { value: string } | undefined)?.value ?? 0,
  );

/** Counted again when the index has grown or shrunk by a fifth: it is a look through every word. */
export const noteCommonWords = (database: DatabaseSync): void => {
  const chunks = chunkCount(database);
  const before = metaNumber(database, 'counted_at');
  if (before > 0 && Math.abs(chunks - before) < before / 5) return;
  database.exec('DELETE FROM common_words');
  database
    .prepare('INSERT INTO common_words(word) SELECT term FROM vocabulary WHERE doc > ? ORDER BY doc DESC LIMIT ?')
    .run(Math.max(LIMITS.indexCommonChunks, Math.floor(chunks * LIMITS.indexCommonShare)), LIMITS.indexCommonWords);
  database.prepare("INSERT OR REPLACE INTO meta(key, value) VALUES ('counted_at', ?)").run(String(chunks));
};
