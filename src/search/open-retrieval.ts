/** The index of one workspace, as the program uses it: asked in this thread, written in another, opened on first use. */
import { LIMITS } from '../core/limits.ts';
import type { Outcome } from '../core/outcome.ts';
import type { Workspace } from '../core/ports.ts';
import type {
  CodeGraph,
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
  VectorStore,
} from '../core/retrieval-port.ts';
import { ChunkVectors } from './chunk-vectors.ts';
import { indexFile } from './index-file.ts';
import { IndexReader } from './index-reader.ts';
import { type IndexThread, openIndexThread } from './index-thread.ts';

export type IndexingOptions = {
  /** Only these files. */
  paths?: readonly string[];
  signal?: AbortSignal;
  onProgress?(progress: IndexProgress): void;
};

export type RetrievalService = Retrieval & {
  readonly file: string;
  /** True where an index was made once. Costs a look at the file system. */
  exists(): boolean;
  status(): Promise<IndexStatus>;
  /** Brings the index up to date; with `paths` these files alone. */
  index(options?: IndexingOptions): Promise<Outcome<IndexReport>>;
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
  /** Milliseconds since 1970: files that were changed lately come first among equals. */
  now?(): number;
};

/** Returns a plain object: callers extend it by spreading. */
export const openRetrieval = (options: RetrievalOptions): RetrievalService => {
  const retrieval = new WorkspaceRetrieval(options);
  const { file, embedder, parser, graph, vectors } = retrieval;
  return {
    file,
    embedder,
    parser,
    graph,
    vectors,
    exists: () => retrieval.exists(),
    status: () => retrieval.status(),
    index: (how) => retrieval.index(how),
    search: (query, how) => retrieval.search(query, how),
    knows: (path) => retrieval.knows(path),
    folders: () => retrieval.folders(),
    close: () => retrieval.close(),
  };
};

class WorkspaceRetrieval implements RetrievalService {
  readonly file: string;
  readonly embedder: Embedder | undefined;
  readonly parser: CodeParser = lazyParser();
  readonly graph: CodeGraph = { ask: (question) => this.#askGraph(question) };
  readonly vectors: VectorStore = { coverage: () => this.#reader.coverage() };
  readonly #workspace: Workspace;
  readonly #now: () => number;
  readonly #reader: IndexReader;
  readonly #thread: IndexThread;
  readonly #vectors: ChunkVectors | undefined;
  readonly #closing = new AbortController();
  /** The first index of a folder, while it is made. */
  #first: Promise<unknown> | undefined;

  constructor({ dataFolder, workspace, embedder, now = Date.now }: RetrievalOptions) {
    this.file = indexFile(dataFolder, workspace.root);
    this.embedder = embedder;
    this.#workspace = workspace;
    this.#now = now;
    this.#reader = new IndexReader(this.file);
    this.#thread = openIndexThread({ file: this.file, root: workspace.root });
    this.#vectors = embedder && new ChunkVectors(embedder, this.#reader);
  }

  exists(): boolean {
    return this.#reader.exists();
  }

  status(): Promise<IndexStatus> {
    return this.#reader.status();
  }

  knows(path: string): boolean {
    return this.#reader.knows(path);
  }

  async folders(): Promise<string[]> {
    const paths = await this.#reader.paths();
    return paths.ok ? [...new Set(['', ...paths.value.flatMap(foldersAbove)])] : [];
  }

  async index(options: IndexingOptions = {}): Promise<Outcome<IndexReport>> {
    const done = await this.#refresh(options);
    if (done.ok && !done.value.cancelled) {
      const signal = options.signal ?? this.#closing.signal;
      await this.#vectors?.makePending(this.#thread, done.value, signal, options.onProgress);
    }
    return done;
  }

  async search(query: string, search: SearchOptions): Promise<Outcome<SearchHit[]>> {
    await this.#first;
    const nearest = (await this.#vectors?.nearestTo(query, search.signal)) ?? [];
    return this.#checked(
      () => this.#reader.ask(({ searcher }) => searcher.search(query, { now: this.#now(), ...search, nearest })),
      (hits) => hits.map(({ path }) => path),
      search.signal,
    );
  }

  #askGraph(question: GraphQuestion): Promise<Outcome<GraphAnswer>> {
    return this.#checked(
      async () => {
        const asked = await this.#reader.ask(({ graph }) => graph.ask(question));
        return asked.ok ? asked.value : asked;
      },
      ({ rows }) => rows.slice(0, LIMITS.graphRowsDefault).map(({ path }) => path),
    );
  }

  /** Files, without vectors. */
  async #refresh({ paths, signal, onProgress }: IndexingOptions): Promise<Outcome<IndexReport>> {
    const isFirst = !this.exists();
    const running = this.#thread.index(paths, { signal, onProgress });
    if (isFirst) this.#first = running;
    const done = await running;
    this.#first = undefined;
    // The file may be another one now.
    if (!done.ok || done.value.notes.length > 0) this.#reader.close();
    return done;
  }

  /** An answer is checked against the files that it names, and asked again where one of them changed since it was indexed. */
  async #checked<T>(
    ask: () => Promise<Outcome<T>>,
    pathsOf: (value: T) => (string | undefined)[],
    signal?: AbortSignal,
  ): Promise<Outcome<T>> {
    await this.#first;
    const answer = await ask();
    if (!answer.ok || signal?.aborted) return answer;
    const stale = await this.#changed(pathsOf(answer.value).filter((path) => path !== undefined));
    if (stale.length === 0) return answer;
    const done = await this.#refresh({ paths: stale, signal });
    // Vectors take a model's time, which a question does not wait for.
    if (done.ok) void this.#vectors?.makePending(this.#thread, done.value, this.#closing.signal);
    return done.ok && done.value.indexed + done.value.removed > 0 ? ask() : answer;
  }

  /** Those of these files whose size or time is not what the index knows. */
  async #changed(paths: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (const path of new Set(paths)) {
      const [stat, known] = await Promise.all([this.#workspace.stat(path), this.#reader.sizeAndTime(path)]);
      const isSame = stat.ok && stat.value.size === known?.size && stat.value.modified_ms === known.modified_ms;
      if (!isSame) found.push(path);
    }
    return found;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#reader.close();
    await this.#thread.close();
  }
}

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
