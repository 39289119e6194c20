/**
 * The vectors nearest to one, exactly: by pgvector in the database where that can be had, else in this process, which
 * then reads them once and keeps them. They are stored as plain numbers, so that pgvector may come and go.
 */
import { createBestScored } from '../../../core/best-scored.ts';
import type { Scored } from '../../../core/index-port.ts';
import { STORAGE_LIMITS } from '../../limits.ts';
import type { Database } from '../database.ts';
import { LOCK_CLASS, MIGRATION_LOCK } from '../locks.ts';
import { got } from './ask.ts';

/** Of length one, so that what is near is a plain product. */
export const normalized = (vector: Float32Array): Float32Array => {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length > 0 ? vector.map((value) => value / length) : vector;
};

const INSTALLED = `SELECT quote_ident(nspname) AS schema FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
  WHERE extname = 'vector'`;

/** The schema of pgvector; undefined where it is not there and cannot be made, which is no fault. */
export const findVectorExtension = async (database: Database): Promise<string | undefined> => {
  const found = await database.query<{ schema: string }>({ text: INSTALLED });
  if (!found.ok || found.value.rows[0]) return found.ok ? found.value.rows[0]?.schema : undefined;
  const available = await database.query({ text: `SELECT 1 FROM pg_available_extensions WHERE name = 'vector'` });
  if (!available.ok || available.value.rows.length === 0) return undefined;
  // Made by one process under the lock of all changes of tables; whoever may not do it goes on without.
  await database.transaction(async (ask) => {
    await ask({ text: 'SELECT pg_advisory_xact_lock($1, $2)', values: [LOCK_CLASS, MIGRATION_LOCK] });
    await ask({ text: 'CREATE EXTENSION IF NOT EXISTS vector SCHEMA halter' });
  });
  const made = await database.query<{ schema: string }>({ text: INSTALLED });
  return made.ok ? made.value.rows[0]?.schema : undefined;
};

type Nearest = (vector: Float32Array, limit: number) => Promise<Scored[]>;

export const nearestByExtension =
  (database: Database, index: number, schema: string): Nearest =>
  async (vector, limit) =>
    got(
      await database.query<Scored>({
        text: `
          SELECT chunk::float8 AS id, -(data::${schema}.vector OPERATOR(${schema}.<#>) $2::${schema}.vector) AS score
          FROM halter.index_vectors WHERE index = $1 AND data IS NOT NULL AND cardinality(data) = $3
          ORDER BY score DESC, id LIMIT $4`,
        values: [index, `[${vector.join(',')}]`, vector.length, limit],
      }),
    ).rows;

type Held = { vectors: Map<number, Float32Array>; written: number; changes: string; dimensions: number };

export const nearestInProcess = (database: Database, index: number): Nearest => {
  let held: Held = { vectors: new Map(), written: 0, changes: '', dimensions: 0 };

  /** Reads what came since; what went is told by the ids that are left. */
  const refresh = async (dimensions: number): Promise<Held> => {
    const [now] = got(
      await database.query<{ changes: string }>({
        text: 'SELECT changes FROM halter.indexes WHERE number = $1',
        values: [index],
      }),
    ).rows;
    const changes = now?.changes ?? '';
    if (held.changes === changes && held.dimensions === dimensions) return held;
    const next: Held =
      held.dimensions === dimensions
        ? { ...held, vectors: new Map(held.vectors), changes }
        : { vectors: new Map(), written: 0, changes, dimensions };
    const ids = got(
      await database.query<{ id: number }>({
        text: `SELECT chunk::float8 AS id FROM halter.index_vectors
          WHERE index = $1 AND cardinality(data) = $2 ORDER BY chunk DESC LIMIT $3`,
        values: [index, dimensions, STORAGE_LIMITS.indexVectorsInMemory],
      }),
    ).rows;
    const wanted = new Set(ids.map(({ id }) => id));
    for (const id of next.vectors.keys()) if (!wanted.has(id)) next.vectors.delete(id);
    await readNew(next, wanted);
    held = next;
    return next;
  };

  const readNew = async (next: Held, wanted: ReadonlySet<number>): Promise<void> => {
    const from = next.written;
    for (let chunk = 0; ; ) {
      const rows = got(
        await database.query<{ id: number; written: number; data: Buffer }>({
          text: `SELECT chunk::float8 AS id, written::float8 AS written, array_send(data) AS data FROM halter.index_vectors
            WHERE index = $1 AND written >= $2 AND chunk > $3 AND cardinality(data) = $4 ORDER BY chunk LIMIT $5`,
          values: [index, from, chunk, next.dimensions, STORAGE_LIMITS.indexVectorsAtOnce],
        }),
      ).rows;
      for (const { id, written, data } of rows) {
        next.written = Math.max(next.written, written);
        if (wanted.has(id)) next.vectors.set(id, numbersOf(data));
        chunk = id;
      }
      if (rows.length < STORAGE_LIMITS.indexVectorsAtOnce) return;
    }
  };

  return async (vector, limit) => {
    const { vectors } = await refresh(vector.length);
    const best = createBestScored(limit);
    for (const [id, values] of vectors) {
      let score = 0;
      for (let at = 0; at < vector.length; at += 1) score += (values[at] as number) * (vector[at] as number);
      best.add(id, score);
    }
    return best.list();
  };
};

/** An array of one dimension as the database sends it: five numbers about it, and before each value its length. */
const HEAD_BYTES = 20;
const numbersOf = (data: Buffer): Float32Array => {
  const numbers = new Float32Array((data.length - HEAD_BYTES) / 8);
  for (let at = 0; at < numbers.length; at += 1) numbers[at] = data.readFloatBE(HEAD_BYTES + at * 8 + 4);
  return numbers;
};
