/** An index of node:sqlite as it is asked. Every answer is there when the statement returns. */
import type { DatabaseSync } from 'node:sqlite';
import type { IndexCounts, IndexTables } from '../core/index-port.ts';
import { fileTables } from './sqlite-tables/files.ts';
import { partTables } from './sqlite-tables/parts.ts';
import { SqliteStatements } from './sqlite-tables/statements.ts';
import { symbolTables } from './sqlite-tables/symbols.ts';
import { createVectorScan } from './vectors.ts';

/** May be kept as long as the database is open. */
export const createSqliteTables = (database: DatabaseSync): IndexTables => {
  const statements = new SqliteStatements(database);
  const scan = createVectorScan(database);
  return {
    ...partTables(database, statements),
    ...fileTables(statements),
    ...symbolTables(statements),
    nearest: async (vector, model, limit) => scan.nearest(vector, model, limit),
    counts: async () => countsOf(statements),
  };
};

const countsOf = (statements: SqliteStatements): IndexCounts => {
  const [{ files, chunks, symbols: definitions, vectors } = NOTHING, notes] = [
    statements.one<typeof NOTHING>(
      `SELECT (SELECT count(*) FROM files) AS files, (SELECT count(*) FROM chunks) AS chunks,
         (SELECT count(*) FROM symbols) AS symbols, (SELECT count(*) FROM vectors) AS vectors`,
    ),
    new Map(
      statements.all<{ key: string; value: string }>('SELECT key, value FROM meta').map((row) => [row.key, row.value]),
    ),
  ];
  return {
    files,
    chunks,
    symbols: definitions,
    vectors,
    updatedAt: Number(notes.get('updated_at') ?? 0),
    vectorModel: notes.get('vector_model'),
  };
};

const NOTHING = { files: 0, chunks: 0, symbols: 0, vectors: 0 };
