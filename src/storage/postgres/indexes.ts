/** The indexes of folders in PostgreSQL: one for each folder and version, which every process reads and writes. */
import type { IndexStore, IndexTables, OpenSharedIndex } from '../../core/index-port.ts';
import { STORAGE_LIMITS } from '../limits.ts';
import type { Database } from './database.ts';
import { got } from './indexes/ask.ts';
import { INDEX_PARTS } from './indexes/schema.ts';
import { PostgresIndexStore } from './indexes/store.ts';
import { createPostgresTables } from './indexes/tables.ts';

export const createPostgresIndexes =
  (database: Database): OpenSharedIndex =>
  (root, version) => {
    /** That of the tables that were handed out last: an index that was removed comes back under another number. */
    let reading: { number: number; tables: IndexTables } | undefined;
    let writing: { number: number; store: IndexStore } | undefined;

    const find = async (): Promise<number | undefined> =>
      got(
        await database.query<{ number: number }>({
          name: 'halter_index',
          text: 'SELECT number FROM halter.indexes WHERE root = $1 AND version = $2',
          values: [root, version],
        }),
      ).rows[0]?.number;

    const make = async (): Promise<number> => {
      await removeUnused(database, root, version);
      await got(
        await database.query({
          text: 'INSERT INTO halter.indexes (root, version) VALUES ($1, $2) ON CONFLICT (root, version) DO NOTHING',
          values: [root, version],
        }),
      );
      return (await find()) ?? make();
    };

    return {
      place: database.address.text,
      async tables() {
        const number = await find();
        if (number === undefined) return undefined;
        if (reading?.number !== number) reading = { number, tables: createPostgresTables(database, number) };
        return reading.tables;
      },
      async store() {
        const number = (await find()) ?? (await make());
        if (writing?.number !== number) writing = { number, store: new PostgresIndexStore(database, number) };
        return { store: writing.store, notes: [] };
      },
    };
  };

/** Those that a halter of another version made, and that nobody has used for long. */
const removeUnused = async (database: Database, root: string, version: number): Promise<void> => {
  got(
    await database.transaction(async (ask) => {
      const unused = await ask<{ number: number }>({
        text: `DELETE FROM halter.indexes WHERE root = $1 AND version <> $2 AND used_at < now() - $3 * interval '1 day'
          RETURNING number`,
        values: [root, version, STORAGE_LIMITS.indexUnusedDays],
      });
      if (unused.length === 0) return;
      const numbers = unused.map(({ number }) => number);
      for (const part of INDEX_PARTS) {
        await ask({ text: `DELETE FROM halter.index_${part} WHERE index = ANY ($1::int[])`, values: [numbers] });
      }
    }),
  );
};
