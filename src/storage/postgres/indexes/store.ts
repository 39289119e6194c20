/**
 * Writes an index into PostgreSQL. What belongs together goes in one transaction, and a file that another process wrote
 * meanwhile from the same bytes is left as that one made it.
 */
import {
  type FileEntry,
  type IndexChange,
  type IndexStore,
  IndexUnavailable,
  type KnownFile,
  type PendingText,
  type VectorRow,
} from '../../../core/index-port.ts';
import { failure } from '../../../core/outcome.ts';
import { STORAGE_LIMITS } from '../../limits.ts';
import type { Ask, Database } from '../database.ts';
import { got } from './ask.ts';
import { INSERTS, idsFor, rowsOf, type Written } from './rows.ts';
import { normalized } from './vectors.ts';
import { markOf, storable } from './words.ts';

const FILE_COLUMNS = 'id::float8 AS id, path, size::float8 AS size, modified_ms, hash, note';
/** Tables whose rows belong to one file. */
const OWNED = ['symbols', 'references', 'imports', 'file_keys', 'chunks'] as const;

/** Tables that questions go through. */
const GROWN = ['files', 'symbols', 'references', 'imports', 'file_keys', 'chunks'];

type FileColumns = { id: number; path: string; size: number; modified_ms: number; hash: string; note: string };
const knownFile = ({ id, size, modified_ms, hash, note }: FileColumns): KnownFile => ({
  id,
  size,
  modifiedMs: modified_ms,
  hash,
  note,
});

export class PostgresIndexStore implements IndexStore {
  readonly #database: Database;
  readonly #index: number;

  constructor(database: Database, index: number) {
    this.#database = database;
    this.#index = index;
  }

  async known(): Promise<Map<string, KnownFile>> {
    const text = `SELECT ${FILE_COLUMNS} FROM halter.index_files WHERE index = $1`;
    const { rows } = got(await this.#database.query<FileColumns>({ text, values: [this.#index] }));
    return new Map(rows.map((row) => [row.path, knownFile(row)]));
  }

  async knownFile(path: string): Promise<KnownFile | undefined> {
    const text = `SELECT ${FILE_COLUMNS} FROM halter.index_files WHERE index = $1 AND path = $2`;
    const { rows } = got(await this.#database.query<FileColumns>({ text, values: [this.#index, storable(path)] }));
    return rows[0] && knownFile(rows[0]);
  }

  async apply(changes: readonly IndexChange[]): Promise<void> {
    const entries = new Map<string, FileEntry>();
    for (const change of changes) if (change.type === 'write') entries.set(change.entry.facts.path, change.entry);
    const removed = changes.flatMap((change) => (change.type === 'remove' ? [change.id] : []));
    const touched = changes.filter((change) => change.type === 'touch');
    got(
      await this.#database.transaction(async (ask) => {
        const first = await this.#begin(ask, idsFor([...entries.values()]));
        const { written, before, same } = await this.#sort(ask, [...entries.values()], first);
        await this.#touch(ask, [...touched, ...same]);
        await this.#removeContents(ask, [...before, ...removed]);
        if (removed.length > 0) {
          const text = 'DELETE FROM halter.index_files WHERE index = $1 AND id = ANY ($2::bigint[])';
          await ask({ text, values: [this.#index, removed] });
        }
        if (written.length > 0) await this.#write(ask, written, first + written.length);
      }),
    );
  }

  async noteChanges(now: number): Promise<void> {
    const [row] = got(
      await this.#database.query<{ chunks: number; counted: number }>({
        text: `UPDATE halter.indexes SET updated_at = $2, used_at = now() WHERE number = $1
          RETURNING counted_chunks AS counted, (SELECT count(*)::int FROM halter.index_chunks WHERE index = $1) AS chunks`,
        values: [this.#index, Math.round(now)],
      }),
    ).rows;
    if (row === undefined) throw gone();
    const { chunks, counted } = row;
    if (counted > 0 && Math.abs(chunks - counted) < counted / 5) return;
    await this.#countWords(chunks);
    // So that questions are planned by what is there now; whoever may not do it is planned for later.
    await this.#database.query({ text: `ANALYZE ${GROWN.map((part) => `halter.index_${part}`).join(', ')}` });
    await this.#database.query({ text: `SELECT gin_clean_pending_list('halter.index_chunks_by_words')` });
  }

  async pendingTexts(model: string, limit: number): Promise<PendingText[]> {
    const text = `
      WITH taken AS (
        INSERT INTO halter.index_vectors (index, chunk, taken_until)
        SELECT $1, id, now() + $3 * interval '1 millisecond' FROM halter.index_chunks AS chunks
        WHERE index = $1 AND NOT EXISTS (
          SELECT FROM halter.index_vectors AS made WHERE made.index = $1 AND made.chunk = chunks.id
            AND (made.data IS NOT NULL OR made.taken_until > now()))
        ORDER BY id LIMIT $2
        ON CONFLICT (index, chunk) DO UPDATE SET taken_until = excluded.taken_until
          WHERE index_vectors.data IS NULL AND index_vectors.taken_until <= now()
        RETURNING chunk)
      SELECT chunk::float8 AS chunk, path || chr(10) || left(text, ${STORAGE_LIMITS.indexEmbedCharacters}) AS text
      FROM taken JOIN halter.index_chunks AS chunks ON chunks.index = $1 AND chunks.id = chunk
        JOIN halter.index_files AS files ON files.index = $1 AND files.id = file
      ORDER BY chunk`;
    return got(
      await this.#database.transaction(async (ask) => {
        await ask({ text: 'SELECT FROM halter.indexes WHERE number = $1 FOR UPDATE', values: [this.#index] });
        await this.#useModel(ask, model);
        return ask<PendingText>({ text, values: [this.#index, limit, STORAGE_LIMITS.indexTextTakenMs] });
      }),
    );
  }

  async writeVectors(model: string, rows: readonly VectorRow[]): Promise<void> {
    const vectors = rows.map(({ chunk, vector }) => ({ chunk, data: numbersOf(vector) }));
    got(
      await this.#database.transaction(async (ask) => {
        await this.#useModel(ask, model);
        const [{ changes } = { changes: '0' }] = await ask<{ changes: string }>({
          text: 'UPDATE halter.indexes SET changes = changes + 1 WHERE number = $1 RETURNING changes',
          values: [this.#index],
        });
        // A chunk that went away meanwhile gets none.
        await ask({
          text: `
            INSERT INTO halter.index_vectors (index, chunk, data, written)
            SELECT $1, chunk, ARRAY(SELECT value::real FROM json_array_elements_text(data) AS value), $3
            FROM json_to_recordset($2) AS given (chunk bigint, data json)
            WHERE EXISTS (SELECT FROM halter.index_chunks WHERE index = $1 AND id = chunk)
            ON CONFLICT (index, chunk) DO UPDATE SET data = excluded.data, written = excluded.written, taken_until = NULL`,
          values: [this.#index, JSON.stringify(vectors), changes],
        });
      }),
    );
  }

  /** Takes the lock of the index, and so many ids. */
  async #begin(ask: Ask, ids: number): Promise<number> {
    const [row] = await ask<{ last: number }>({
      text: `UPDATE halter.indexes SET last_id = last_id + $2, changes = changes + 1 WHERE number = $1
        RETURNING last_id::float8 AS last`,
      values: [this.#index, ids],
    });
    if (row === undefined) throw gone();
    return row.last - ids + 1;
  }

  /** Which files keep the id that they have, and which another process has written from the same bytes. */
  async #sort(ask: Ask, entries: readonly FileEntry[], first: number) {
    const rows = await ask<FileColumns>({
      text: `SELECT ${FILE_COLUMNS} FROM halter.index_files WHERE index = $1 AND path = ANY ($2::text[])`,
      values: [this.#index, entries.map(({ facts }) => storable(facts.path))],
    });
    const there = new Map(rows.map((row) => [row.path, row]));
    const written: Written[] = [];
    const same: { id: number; size: number; modifiedMs: number }[] = [];
    const before: number[] = [];
    for (const entry of entries) {
      const { path, hash, size, modifiedMs } = entry.facts;
      const known = there.get(storable(path));
      if (known !== undefined && hash !== '' && known.hash === hash) same.push({ id: known.id, size, modifiedMs });
      else {
        if (known !== undefined) before.push(known.id);
        written.push({ id: known?.id ?? first + written.length, entry });
      }
    }
    return { written, before, same };
  }

  async #touch(ask: Ask, files: readonly { id: number; size: number; modifiedMs: number }[]): Promise<void> {
    if (files.length === 0) return;
    await ask({
      text: `UPDATE halter.index_files AS files SET size = given.size, modified_ms = given."modifiedMs"
        FROM json_to_recordset($2) AS given (id bigint, size bigint, "modifiedMs" double precision)
        WHERE files.index = $1 AND files.id = given.id`,
      values: [this.#index, JSON.stringify(files)],
    });
  }

  async #removeContents(ask: Ask, files: readonly number[]): Promise<void> {
    if (files.length === 0) return;
    const values = [this.#index, files];
    await ask({
      text: `DELETE FROM halter.index_vectors WHERE index = $1 AND chunk IN (
        SELECT id FROM halter.index_chunks WHERE index = $1 AND file = ANY ($2::bigint[]))`,
      values,
    });
    for (const table of OWNED) {
      await ask({ text: `DELETE FROM halter.index_${table} WHERE index = $1 AND file = ANY ($2::bigint[])`, values });
    }
  }

  async #write(ask: Ask, written: readonly Written[], firstId: number): Promise<void> {
    let next = firstId;
    const rows = rowsOf(written, () => {
      next += 1;
      return next - 1;
    });
    const mark = markOf(this.#index);
    for (const [key, text] of Object.entries(INSERTS) as [keyof typeof INSERTS, string][]) {
      if (rows[key].length === 0) continue;
      const values: unknown[] = [this.#index, JSON.stringify(rows[key])];
      await ask({ text, values: key === 'chunks' ? [...values, mark] : values });
    }
  }

  /** Vectors of another model say nothing beside this one's, so they go. */
  async #useModel(ask: Ask, model: string): Promise<void> {
    const changed = await ask({
      text: `UPDATE halter.indexes SET vector_model = $2, changes = changes + 1
        WHERE number = $1 AND vector_model IS DISTINCT FROM $2 RETURNING number`,
      values: [this.#index, model],
    });
    if (changed.length > 0) {
      await ask({ text: 'DELETE FROM halter.index_vectors WHERE index = $1', values: [this.#index] });
    }
  }

  /** Of a large index a part is counted, spread over all of it: how common a word is need not be known exactly. */
  async #countWords(chunks: number): Promise<void> {
    const every = Math.max(1, Math.ceil(chunks / STORAGE_LIMITS.indexWordsCounted));
    const counted = `SELECT words FROM halter.index_chunks WHERE index = ${this.#index} AND id % ${every} = 0`;
    got(
      await this.#database.transaction(async (ask) => {
        await ask({
          text: `UPDATE halter.indexes SET counted_chunks = $2, average_words = coalesce(
            (SELECT avg(length(words)) FROM halter.index_chunks WHERE index = $1 AND id % $3 = 0), average_words)
            WHERE number = $1`,
          values: [this.#index, chunks, every],
        });
        await ask({ text: 'DELETE FROM halter.index_common_words WHERE index = $1', values: [this.#index] });
        await ask({
          text: `
            INSERT INTO halter.index_common_words (index, word, chunks)
            SELECT $1, word, ndoc * $3 FROM ts_stat($2) WHERE ndoc * $3 > $4 AND word <> $6 ORDER BY ndoc DESC LIMIT $5`,
          values: [
            this.#index,
            counted,
            every,
            STORAGE_LIMITS.indexCommonChunks,
            STORAGE_LIMITS.indexCommonWords,
            markOf(this.#index),
          ],
        });
      }),
    );
  }
}

/** None where one of them is no number: such a vector is near to nothing, and is not made again. */
const numbersOf = (vector: Float32Array): number[] => {
  const numbers = [...normalized(vector)];
  return numbers.every(Number.isFinite) ? numbers : [];
};

const gone = (): IndexUnavailable =>
  new IndexUnavailable(
    failure('not_found', 'The index was removed from the database; `halter index` makes it again.', 'no_index').error,
  );
