/** An index in PostgreSQL as it is asked. */
import type { IndexCounts, IndexTables, Scored } from '../../../core/index-port.ts';
import type { Database } from '../database.ts';
import { fileTables } from './tables/files.ts';
import { partTables } from './tables/parts.ts';
import { IndexQueries } from './tables/queries.ts';
import { symbolTables } from './tables/symbols.ts';
import { findVectorExtension, nearestByExtension, nearestInProcess, normalized } from './vectors.ts';

export const createPostgresTables = (database: Database, index: number): IndexTables => {
  const queries = new IndexQueries(database, index);
  return {
    ...partTables(queries, index),
    ...fileTables(queries),
    ...symbolTables(queries),
    nearest: nearestVectors(database, queries, index),
    counts: () => countsOf(queries),
  };
};

const nearestVectors = (database: Database, queries: IndexQueries, index: number): IndexTables['nearest'] => {
  let extension: Promise<string | undefined> | undefined;
  const inProcess = nearestInProcess(database, index);
  const nearestOf = async (vector: Float32Array, limit: number): Promise<Scored[]> => {
    extension ??= findVectorExtension(database);
    const schema = await extension;
    if (schema === undefined) return inProcess(vector, limit);
    try {
      return await nearestByExtension(database, index, schema)(vector, limit);
    } catch {
      // It was removed meanwhile, or does not take such vectors.
      extension = undefined;
      return inProcess(vector, limit);
    }
  };
  return async (vector, model, limit) => {
    if (vector.length === 0) return [];
    const [kept] = await queries.all<{ model: string | null }>(
      'SELECT vector_model AS model FROM halter.indexes WHERE number = $1',
    );
    return kept?.model === model ? nearestOf(normalized(vector), limit) : [];
  };
};

const countsOf = async (queries: IndexQueries): Promise<IndexCounts> => {
  const [row] = await queries.all<IndexCounts & { model: string | null }>(
    `SELECT (SELECT count(*)::int FROM halter.index_files WHERE index = $1) AS files,
       (SELECT count(*)::int FROM halter.index_chunks WHERE index = $1) AS chunks,
       (SELECT count(*)::int FROM halter.index_symbols WHERE index = $1) AS symbols,
       (SELECT count(*)::int FROM halter.index_vectors WHERE index = $1 AND data IS NOT NULL) AS vectors,
       updated_at::float8 AS "updatedAt", vector_model AS model
     FROM halter.indexes WHERE number = $1`,
  );
  const { model, ...rest } = row ?? { files: 0, chunks: 0, symbols: 0, vectors: 0, updatedAt: 0, model: null };
  return { ...rest, vectorModel: model ?? undefined };
};
