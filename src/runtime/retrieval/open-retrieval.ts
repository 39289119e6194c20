/**
 * The index of one workspace, as the program uses it: asked in this thread, written in another, opened on first use.
 */
import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { IndexProgress, IndexReport, IndexStatus, SearchHit, SearchOptions } from '../../core/retrieval-port.ts';
import { indexFile } from '../../retrieval/index-file.ts';
import type { Searcher } from '../../retrieval/search.ts';
import { createIndexThread, type IndexThread } from './index-thread.ts';

export type RetrievalService = {
  readonly file: string;
  /** True where an index was made once. Costs a look at the file system. */
  exists(): boolean;
  status(): Promise<IndexStatus>;
  /** Brings the index up to date; with `paths` these files alone. */
  index(options?: {
    paths?: readonly string[];
    signal?: AbortSignal;
    onProgress?(progress: IndexProgress): void;
  }): Promise<Outcome<IndexReport>>;
  search(query: string, options: SearchOptions): Promise<Outcome<SearchHit[]>>;
  close(): Promise<void>;
};

export const NO_INDEX = failure(
  'not_found',
  'There is no index of this folder yet. `halter index` makes one.',
  'no_index',
);

type Reader = { database: DatabaseSync; searcher: Searcher };

export const openRetrieval = (options: { dataFolder: string; root: string }): RetrievalService => {
  const file = indexFile(options.dataFolder, options.root);
  let thread: IndexThread | undefined;
  let reader: Reader | undefined;

  const read = async (): Promise<Reader | undefined> => {
    if (reader !== undefined) return reader;
    if (!existsSync(file)) return undefined;
    const [{ openForReading }, { createSearcher }] = await Promise.all([
      import('../../retrieval/database.ts'),
      import('../../retrieval/search.ts'),
    ]);
    const database = openForReading(file);
    if (database === undefined) return undefined;
    reader ??= { database, searcher: createSearcher(database) };
    return reader;
  };
  const forget = (): void => {
    reader?.database.close();
    reader = undefined;
  };
  /** What is damaged is said; whoever indexes next makes it anew. */
  const asking = async <T>(ask: (reader: Reader) => T): Promise<Outcome<T>> => {
    const opened = await read();
    if (opened === undefined) return NO_INDEX;
    try {
      return succeed(ask(opened));
    } catch (error) {
      forget();
      const message = error instanceof Error ? error.message : String(error);
      return failure('io_error', `The index cannot be read (${message}). \`halter index\` makes it anew.`, 'damaged');
    }
  };

  return {
    file,
    exists: () => existsSync(file),
    async status() {
      const counted = await asking(({ database }) => {
        const count = (table: string): number =>
          Number((database.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n);
        const updated = database.prepare("SELECT value FROM meta WHERE key = 'updated_at'").get();
        return {
          exists: true,
          file,
          files: count('files'),
          chunks: count('chunks'),
          symbols: count('symbols'),
          vectors: count('vectors'),
          updated_at: Number((updated as { value: string } | undefined)?.value ?? 0),
        };
      });
      return counted.ok
        ? counted.value
        : { exists: false, file, files: 0, chunks: 0, symbols: 0, vectors: 0, updated_at: 0 };
    },
    async index({ paths, signal, onProgress } = {}) {
      thread ??= createIndexThread({ file, root: options.root });
      const done = await thread.index(paths, { ...(signal ? { signal } : {}), ...(onProgress ? { onProgress } : {}) });
      // The file may be another one now.
      if (!done.ok || done.value.notes.length > 0) forget();
      return done;
    },
    search: (query, search) => asking(({ searcher }) => searcher.search(query, search)),
    async close() {
      forget();
      await thread?.close();
    },
  };
};
