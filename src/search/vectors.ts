/** Vectors of chunks: which are still to be made, and which are nearest to one. A plain scan, in memory while it is small. */

import type { DatabaseSync } from 'node:sqlite';
import { createBestScored } from '../core/best-scored.ts';
import type { PendingText } from '../core/index-port.ts';
import type { Ranking } from './fuse.ts';
import { SEARCH_LIMITS } from './limits.ts';

const modelOf = (database: DatabaseSync): string | undefined =>
  (database.prepare("SELECT value FROM meta WHERE key = 'vector_model'").get() as { value: string } | undefined)?.value;

/** Vectors of another model say nothing beside this one's, so they go. */
const useModel = (database: DatabaseSync, model: string): void => {
  if (modelOf(database) === model) return;
  database.exec('BEGIN IMMEDIATE');
  database.exec('DELETE FROM vectors');
  database.prepare("INSERT OR REPLACE INTO meta(key, value) VALUES ('vector_model', ?)").run(model);
  database.exec('COMMIT');
};

export const pendingTexts = (database: DatabaseSync, model: string, limit: number): PendingText[] => {
  useModel(database, model);
  return database
    .prepare(
      `SELECT chunks.id AS chunk, files.path || char(10) || substr(text, 1, ${SEARCH_LIMITS.embedCharacters}) AS text
       FROM chunks JOIN files ON files.id = chunks.file
       WHERE chunks.id NOT IN (SELECT chunk FROM vectors) ORDER BY chunks.id LIMIT ?`,
    )
    .all(limit) as PendingText[];
};

/** Of length one, so that what is near is a plain product. */
const normalized = (vector: Float32Array): Float32Array => {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length > 0 ? vector.map((value) => value / length) : vector;
};

export const writeVectors = (
  database: DatabaseSync,
  model: string,
  rows: readonly { chunk: number; vector: Float32Array }[],
): void => {
  useModel(database, model);
  database.exec('BEGIN IMMEDIATE');
  // A chunk that went away meanwhile gets none.
  const put = database.prepare('INSERT OR REPLACE INTO vectors(chunk, data) SELECT id, ? FROM chunks WHERE id = ?');
  for (const { chunk, vector } of rows) {
    const unit = normalized(vector);
    put.run(new Uint8Array(unit.buffer, unit.byteOffset, unit.byteLength), chunk);
  }
  database.exec('COMMIT');
};

export type VectorScan = { nearest(vector: Float32Array, model: string, limit: number): Ranking };

type Loaded = { state: string; ids: number[]; values: Float32Array; dimensions: number };

export const createVectorScan = (database: DatabaseSync): VectorScan => {
  let loaded: Loaded | undefined;

  /** Changes of another connection, such as the writing thread's, show in `data_version`. */
  const load = (dimensions: number): Loaded => {
    const version = (database.prepare('PRAGMA data_version').get() as { data_version: number }).data_version;
    const { n } = database.prepare('SELECT count(*) AS n FROM vectors').get() as { n: number };
    const state = `${version} ${n} ${dimensions}`;
    if (loaded?.state === state) return loaded;
    const most = Math.min(n, SEARCH_LIMITS.vectorsInMemory);
    const ids: number[] = [];
    const values = new Float32Array(most * dimensions);
    for (const row of database.prepare('SELECT chunk, data FROM vectors ORDER BY chunk DESC LIMIT ?').iterate(most)) {
      const { chunk, data } = row as { chunk: number; data: Uint8Array };
      if (data.byteLength !== dimensions * Float32Array.BYTES_PER_ELEMENT) continue;
      const copy = new Uint8Array(data);
      values.set(new Float32Array(copy.buffer), ids.length * dimensions);
      ids.push(chunk);
    }
    loaded = { state, ids, values, dimensions };
    return loaded;
  };

  return {
    nearest(vector, model, limit) {
      if (modelOf(database) !== model || vector.length === 0) return [];
      const wanted = normalized(vector);
      const { ids, values, dimensions } = load(wanted.length);
      const best = createBestScored(limit);
      for (const [at, id] of ids.entries()) {
        const from = at * dimensions;
        let score = 0;
        for (let index = 0; index < dimensions; index += 1) {
          score += (values[from + index] as number) * (wanted[index] as number);
        }
        best.add(id, score);
      }
      return best.list();
    },
  };
};
