/** Where the index of a folder is read: a file of node:sqlite, or a database that processes share. */
import { existsSync } from 'node:fs';
import type { IndexTables, SharedIndex } from '../core/index-port.ts';

export type IndexHome = {
  /** For a person. */
  readonly place: string;
  /** True where an index was made once, whether it can be read or not. */
  exists(): Promise<boolean>;
  /** For asking. Undefined where there is no index of this version, or none that can be read. */
  open(): Promise<{ tables: IndexTables; close(): void } | undefined>;
};

export const fileHome = (file: string): IndexHome => ({
  place: file,
  exists: async () => existsSync(file),
  async open() {
    if (!existsSync(file)) return undefined;
    const [{ openForReading }, { createSqliteTables }] = await Promise.all([
      import('./database.ts'),
      import('./sqlite-tables.ts'),
    ]);
    const database = openForReading(file);
    return database && { tables: createSqliteTables(database), close: () => database.close() };
  },
});

export const sharedHome = (shared: SharedIndex): IndexHome => ({
  place: shared.place,
  exists: async () => (await shared.tables()) !== undefined,
  async open() {
    const tables = await shared.tables();
    return tables && { tables, close: () => {} };
  },
});
