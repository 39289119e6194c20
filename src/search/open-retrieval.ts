/**
 * The index of one workspace, as the program uses it: asked in this thread, written in another, opened on first use.
 */

import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { LIMITS } from '../core/limits.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { Workspace } from '../core/ports.ts';
import type {
  CodeParser,
  Embedder,
  GraphAnswer,
  GraphQuestion,
  IndexProgress,
  IndexReport,
  IndexStatus,
  Retrieval,
  SearchHit,
  SearchOptions,
} from '../core/retrieval-port.ts';
import type { Ranking } from './fuse.ts';
import type { Graph } from './graph.ts';
import { indexFile } from './index-file.ts';
import { createIndexThread, type IndexThread } from './index-thread.ts';
import { SEARCH_LIMITS } from './limits.ts';
import type { Searcher } from './search.ts';
import type { VectorScan } from './vectors.ts';

export type RetrievalService = Retrieval & {
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
  /** Whether this file is in the index, as far as it was opened. */
  knows(path: string): boolean;
  /** The folders that hold files of the index. */
  folders(): Promise<string[]>;
  close(): Promise<void>;
};

export type RetrievalOptions = {
  dataFolder: string;
  workspace: Workspace;
  embedder?: Embedder;
  /** What was changed lately is told by it. */
  now?(): number;
};

const NO_INDEX = failure('not_found', 'There is no index of this folder yet. `halter index` makes one.', 'no_index');

type Reader = { database: DatabaseSync; searcher: Searcher; graph: Graph; scan: VectorScan };

const whenAborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });

export const openRetrieval = (options: RetrievalOptions): RetrievalService => {
  const { workspace, embedder, now = Date.now } = options;
  const file = indexFile(options.dataFolder, workspace.root);
  let thread: IndexThread | undefined;
  const closing = new AbortController();
  let reader: Reader | undefined;
  /** The first index of a folder, while it is made. */
  let first: Promise<unknown> | undefined;

  const read = async (): Promise<Reader | undefined> => {
    if (reader !== undefined) return reader;
    if (!existsSync(file)) return undefined;
    const [{ openForReading }, { createSearcher }, { createGraph }, { createVectorScan }] = await Promise.all([
      import('./database.ts'),
      import('./search.ts'),
      import('./graph.ts'),
      import('./vectors.ts'),
    ]);
    if (reader !== undefined) return reader;
    const database = openForReading(file);
    if (database === undefined) return undefined;
    reader = {
      database,
      searcher: createSearcher(database),
      graph: createGraph(database),
      scan: createVectorScan(database),
    };
    return reader;
  };
  const forget = (): void => {
    reader?.database.close();
    reader = undefined;
  };
  /** What is damaged is said; whoever indexes next makes it anew. */
  const asking = async <T>(ask: (reader: Reader) => T): Promise<Outcome<T>> => {
    try {
      const opened = await read();
      return opened === undefined ? NO_INDEX : succeed(ask(opened));
    } catch (error) {
      forget();
      const message = error instanceof Error ? error.message : String(error);
      return failure('io_error', `The index cannot be read (${message}). \`halter index\` makes it anew.`, 'damaged');
    }
  };

  /** What has no vector yet gets one. Without the embedder everything else still works, so it is only said. */
  const embedPending = async (
    by: Embedder,
    report: IndexReport,
    signal: AbortSignal,
    onProgress?: (progress: IndexProgress) => void,
  ): Promise<void> => {
    thread ??= createIndexThread({ file, root: workspace.root });
    for (let done = 0; !signal.aborted; ) {
      const pending = await thread.texts(by.model);
      if (!pending.ok || pending.value.length === 0) return;
      const made = await by.embed(
        pending.value.map(({ text }) => text),
        signal,
      );
      if (signal.aborted) return;
      if (!made.ok) {
        report.warnings.push(`There are no vectors for now: ${made.error.message}`);
        return;
      }
      const rows = pending.value.map(({ chunk }, at) => ({ chunk, vector: made.value[at] ?? new Float32Array() }));
      const written = await thread.vectors(by.model, rows);
      if (!written.ok) return;
      done += rows.length;
      onProgress?.({
        phase: 'embedding',
        done,
        total: done + (rows.length === SEARCH_LIMITS.embedBatch ? SEARCH_LIMITS.embedBatch : 0),
      });
    }
  };
  /** A question waits only so long for its vector; the first one may have to wait for the model to be loaded. */
  let awake = false;
  const nearestTo = async (query: string, signal: AbortSignal | undefined): Promise<Ranking> => {
    if (embedder === undefined || !(await read())) return [];
    const patience = AbortSignal.timeout(
      awake ? SEARCH_LIMITS.embedQueryTimeoutMs : SEARCH_LIMITS.embedFirstQueryTimeoutMs,
    );
    const enough = signal ? AbortSignal.any([signal, patience]) : patience;
    // A model that is still being loaded hears of nothing, so it is left to it: the next question finds it awake.
    const made = await Promise.race([embedder.embed([query], enough), whenAborted(enough)]);
    if (made === undefined) return [];
    awake ||= made.ok;
    const [vector] = made.ok ? made.value : [];
    if (vector === undefined) return [];
    const found = await asking(({ scan }) => scan.nearest(vector, embedder.model, SEARCH_LIMITS.searchCandidates));
    return found.ok ? found.value : [];
  };

  const refresh: RetrievalService['index'] = async ({ paths, signal, onProgress } = {}) => {
    const isFirst = !existsSync(file);
    thread ??= createIndexThread({ file, root: workspace.root });
    const running = thread.index(paths, { ...(signal ? { signal } : {}), ...(onProgress ? { onProgress } : {}) });
    if (isFirst) first = running;
    const done = await running;
    first = undefined;
    // The file may be another one now.
    if (!done.ok || done.value.notes.length > 0) forget();
    return done;
  };
  const index: RetrievalService['index'] = async (how = {}) => {
    const done = await refresh(how);
    if (done.ok && embedder && !done.value.cancelled)
      await embedPending(embedder, done.value, how.signal ?? closing.signal, how.onProgress);
    return done;
  };

  /** Of these files, those that are others by now than the index knows. */
  const changed = async (paths: readonly string[]): Promise<string[]> => {
    const found: string[] = [];
    for (const path of new Set(paths)) {
      const [stat, known] = await Promise.all([
        workspace.stat(path),
        asking(({ database }) => database.prepare('SELECT size, modified_ms FROM files WHERE path = ?').get(path)),
      ]);
      const row = known.ok ? (known.value as { size: number; modified_ms: number } | undefined) : undefined;
      const same = stat.ok && row && stat.value.size === row.size && stat.value.modified_ms === row.modified_ms;
      if (!same) found.push(path);
    }
    return found;
  };
  /** An answer is checked against the files it speaks of, and asked again where one of them is another by now. */
  const checked = async <T>(
    ask: () => Promise<Outcome<T>>,
    pathsOf: (value: T) => (string | undefined)[],
    signal?: AbortSignal,
  ): Promise<Outcome<T>> => {
    await first;
    const answer = await ask();
    if (!answer.ok || signal?.aborted) return answer;
    const stale = await changed(pathsOf(answer.value).filter((path) => path !== undefined));
    if (stale.length === 0) return answer;
    const done = await refresh({ paths: stale, ...(signal ? { signal } : {}) });
    // Vectors may take a model's time, which a question does not wait for.
    if (done.ok && embedder) void embedPending(embedder, done.value, closing.signal);
    return done.ok && done.value.indexed + done.value.removed > 0 ? ask() : answer;
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
    index,
    async search(query: string, search: SearchOptions): Promise<Outcome<SearchHit[]>> {
      await first;
      const nearest = await nearestTo(query, search.signal);
      return checked(
        () => asking(({ searcher }) => searcher.search(query, { now: now(), ...search, nearest })),
        (hits) => hits.map(({ path }) => path),
        search.signal,
      );
    },
    graph: {
      ask: (question: GraphQuestion): Promise<Outcome<GraphAnswer>> =>
        checked(
          async () => {
            const asked = await asking(({ graph }) => graph.ask(question));
            return asked.ok ? asked.value : asked;
          },
          ({ rows }) => rows.slice(0, LIMITS.graphRowsDefault).map(({ path }) => path),
        ),
    },
    vectors: {
      async coverage() {
        const counted = await asking(({ database }) => {
          const count = (table: string): number =>
            Number((database.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n);
          const model = database.prepare("SELECT value FROM meta WHERE key = 'vector_model'").get();
          return {
            model: (model as { value: string } | undefined)?.value,
            vectors: count('vectors'),
            chunks: count('chunks'),
          };
        });
        return counted.ok ? counted.value : { model: undefined, vectors: 0, chunks: 0 };
      },
    },
    ...(embedder ? { embedder } : {}),
    parser: lazyParser(),
    knows: (path) => reader?.database.prepare('SELECT 1 FROM files WHERE path = ?').get(path) !== undefined,
    async folders() {
      const rows = await asking(
        ({ database }) => database.prepare('SELECT path FROM files').all() as { path: string }[],
      );
      if (!rows.ok) return [];
      return [...new Set(['', ...rows.value.flatMap(({ path }) => foldersAbove(path))])];
    },
    async close() {
      closing.abort();
      forget();
      await thread?.close();
    },
  };
};

const foldersAbove = (path: string): string[] => {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_part, at) => parts.slice(0, at + 1).join('/'));
};

/** Tree-sitter is loaded by the first file that is parsed. */
export const lazyParser = (): CodeParser => {
  let parser: Promise<CodeParser> | undefined;
  return {
    async outline(path, text) {
      parser ??= import('./parser.ts').then(({ createCodeParser }) => createCodeParser());
      return (await parser).outline(path, text);
    },
  };
};
