/** An index as it is read in this thread: opened at the first question, closed where its file may be another one. */
import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { IndexStatus, VectorStore } from '../core/retrieval-port.ts';
import type { Graph } from './graph.ts';
import type { Searcher } from './search.ts';
import type { VectorScan } from './vectors.ts';

const NO_INDEX = failure('not_found', 'There is no index of this folder yet. `halter index` makes one.', 'no_index');

type Opened = { database: DatabaseSync; searcher: Searcher; graph: Graph; scan: VectorScan };
type Table = 'files' | 'chunks' | 'symbols' | 'vectors';
type Coverage = Awaited<ReturnType<VectorStore['coverage']>>;

export class IndexReader {
  readonly #file: string;
  #opened: Opened | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** True where an index was made once. Costs one look at the file system. */
  exists(): boolean {
    return existsSync(this.#file);
  }

  /** A damaged index is reported; whoever indexes next makes a new one. */
  async ask<T>(question: (opened: Opened) => T): Promise<Outcome<T>> {
    try {
      const opened = await this.#open();
      return opened === undefined ? NO_INDEX : succeed(question(opened));
    } catch (error) {
      this.close();
      const message = error instanceof Error ? error.message : String(error);
      return failure('io_error', `The index cannot be read (${message}). \`halter index\` makes a new one.`, 'damaged');
    }
  }

  async #open(): Promise<Opened | undefined> {
    if (this.#opened !== undefined || !this.exists()) return this.#opened;
    const [{ openForReading }, { createSearcher }, { Graph }, { createVectorScan }] = await Promise.all([
      import('./database.ts'),
      import('./search.ts'),
      import('./graph.ts'),
      import('./vectors.ts'),
    ]);
    if (this.#opened !== undefined) return this.#opened;
    const database = openForReading(this.#file);
    if (database === undefined) return undefined;
    this.#opened = {
      database,
      searcher: createSearcher(database),
      graph: new Graph(database),
      scan: createVectorScan(database),
    };
    return this.#opened;
  }

  /** Whether this file is in the index, as far as it was opened. */
  knows(path: string): boolean {
    return this.#opened?.database.prepare('SELECT 1 FROM files WHERE path = ?').get(path) !== undefined;
  }

  async sizeAndTime(path: string): Promise<{ size: number; modified_ms: number } | undefined> {
    const row = await this.ask(({ database }) =>
      database.prepare('SELECT size, modified_ms FROM files WHERE path = ?').get(path),
    );
    return row.ok ? (row.value as { size: number; modified_ms: number } | undefined) : undefined;
  }

  paths(): Promise<Outcome<string[]>> {
    return this.ask(({ database }) =>
      (database.prepare('SELECT path FROM files').all() as { path: string }[]).map(({ path }) => path),
    );
  }

  async status(): Promise<IndexStatus> {
    const file = this.#file;
    const counted = await this.ask(
      ({ database }): IndexStatus => ({
        exists: true,
        file,
        files: count(database, 'files'),
        chunks: count(database, 'chunks'),
        symbols: count(database, 'symbols'),
        vectors: count(database, 'vectors'),
        updated_at: Number(noted(database, 'updated_at') ?? 0),
      }),
    );
    return counted.ok
      ? counted.value
      : { exists: false, file, files: 0, chunks: 0, symbols: 0, vectors: 0, updated_at: 0 };
  }

  async coverage(): Promise<Coverage> {
    const counted = await this.ask(
      ({ database }): Coverage => ({
        model: noted(database, 'vector_model'),
        vectors: count(database, 'vectors'),
        chunks: count(database, 'chunks'),
      }),
    );
    return counted.ok ? counted.value : { model: undefined, vectors: 0, chunks: 0 };
  }

  /** The next question opens it again. */
  close(): void {
    this.#opened?.database.close();
    this.#opened = undefined;
  }
}

const count = (database: DatabaseSync, table: Table): number =>
  Number((database.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n);
const noted = (database: DatabaseSync, key: 'updated_at' | 'vector_model'): string | undefined =>
  (database.prepare('SELECT value FROM meta WHERE key = ?').get(key) as { value: string } | undefined)?.value;
