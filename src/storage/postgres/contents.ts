/** Contents that are kept beside sessions: what files held before a change, and results too long for a model's window. */

import { createHash } from 'node:crypto';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { STORAGE_LIMITS } from '../limits.ts';
import { isResultName, type ResultFiles } from '../result-files.ts';
import { isContentHash, noLongerKept, type UndoFiles } from '../undo-files.ts';
import type { Database } from './database.ts';

export type UndoLimits = { maxBytes?: number; maxFiles?: number };

export const createPostgresUndo = (
  database: Database,
  { maxBytes = STORAGE_LIMITS.undoBytes, maxFiles = STORAGE_LIMITS.undoFiles }: UndoLimits = {},
): UndoFiles => {
  /** What this process added since it last made room; nobody counts the whole table at every change. */
  let added: { bytes: number; files: number } | undefined;

  const makeRoom = async (): Promise<void> => {
    const slack = 1 - STORAGE_LIMITS.undoRoomShare;
    if (added !== undefined && added.bytes <= maxBytes * slack && added.files <= maxFiles * slack) return;
    added = { bytes: 0, files: 0 };
    await database.query({
      text: `
        DELETE FROM halter.undo WHERE hash IN (
          SELECT hash FROM (
            SELECT hash, sum(size) OVER newest AS bytes, row_number() OVER newest AS files
            FROM halter.undo WINDOW newest AS (ORDER BY used_at DESC, hash)
          ) AS kept WHERE bytes > $1 OR files > $2)`,
      values: [
        Math.floor(maxBytes * STORAGE_LIMITS.undoRoomShare),
        Math.floor(maxFiles * STORAGE_LIMITS.undoRoomShare),
      ],
    });
  };

  return {
    async keep(hash, bytes) {
      if (!isContentHash(hash)) return failure('validation_failed', `${hash} is no hash of a content`);
      await makeRoom();
      const kept = await database.query({
        text: `
          INSERT INTO halter.undo (hash, size, content) VALUES ($1, $2, $3)
          ON CONFLICT (hash) DO UPDATE SET used_at = now()`,
        values: [hash, bytes.length, Buffer.from(bytes)],
      });
      if (!kept.ok) return kept;
      if (added) added = { bytes: added.bytes + bytes.length, files: added.files + 1 };
      return succeed(undefined);
    },
    async read(hash) {
      if (!isContentHash(hash)) return noLongerKept(hash);
      const asked = await database.query<{ content: Buffer }>({
        text: 'SELECT content FROM halter.undo WHERE hash = $1',
        values: [hash],
      });
      if (!asked.ok) return asked;
      const [row] = asked.value.rows;
      if (row === undefined) return noLongerKept(hash);
      return createHash('sha256').update(row.content).digest('hex') === hash
        ? succeed(row.content)
        : failure('io_error', `The old content (${hash.slice(0, 12)}) is damaged, so it is not put back`, 'damaged');
    },
  };
};

export const createPostgresResults = (database: Database, session: string): ResultFiles => {
  const none = (name: string): Outcome<never> => failure('not_found', `There is no result ${name}`);
  return {
    async keep(name, text) {
      if (!isResultName(name)) return failure('validation_failed', `${name} is no name of a result`);
      const kept = await database.query({
        text: `
          INSERT INTO halter.results (session, name, content)
          SELECT number, $2, $3 FROM halter.sessions WHERE id = $1
          ON CONFLICT (session, name) DO UPDATE SET content = excluded.content RETURNING name`,
        values: [session, name, Buffer.from(text)],
      });
      if (!kept.ok) return kept;
      return kept.value.rows.length > 0
        ? succeed(undefined)
        : failure('not_found', `There is no session ${session} to keep a result in`);
    },
    async read(name) {
      if (!isResultName(name)) return none(name);
      const asked = await database.query<{ content: Buffer }>({
        text: `
          SELECT content FROM halter.results JOIN halter.sessions ON number = session
          WHERE id = $1 AND halter.results.name = $2`,
        values: [session, name],
      });
      if (!asked.ok) return asked;
      const [row] = asked.value.rows;
      return row ? succeed(row.content) : none(name);
    },
    async names() {
      const asked = await database.query<{ name: string }>({
        text: `
          SELECT halter.results.name FROM halter.results JOIN halter.sessions ON number = session WHERE id = $1
          ORDER BY halter.results.name`,
        values: [session],
      });
      return asked.ok ? asked.value.rows.map(({ name }) => name) : [];
    },
  };
};

/** A session that begins as a copy can show what the other one had put aside. */
export const copyPostgresResults = async (database: Database, from: string, to: string): Promise<void> => {
  await database.query({
    text: `
      INSERT INTO halter.results (session, name, content)
      SELECT (SELECT number FROM halter.sessions WHERE id = $2), results.name, content
      FROM halter.results AS results JOIN halter.sessions ON number = session
      WHERE id = $1 AND EXISTS (SELECT FROM halter.sessions WHERE id = $2)
      ON CONFLICT DO NOTHING`,
    values: [from, to],
  });
};
