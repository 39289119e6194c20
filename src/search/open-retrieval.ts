/** The index of one workspace, as the program uses it: asked in this thread, written in another, opened on first use. */
import type { IndexedFile, OpenSharedIndex } from '../core/index-port.ts';
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
import { fileHome, sharedHome } from './index-home.ts';
import { IndexReader } from './index-reader.ts';
import { type IndexThread, openIndexThread } from './index-thread.ts';
import { INDEX_VERSION } from './schema.ts';

export type IndexingOptions = {
  /** Only these files. */
  paths?: readonly string[];
  signal?: AbortSignal;
  onProgress?(progress: IndexProgress): void;
};

export type RetrievalService = Retrieval & {
  /** True where an index was made once. */
  exists(): Promise<boolean>;
  status(): Promise<IndexStatus>;
  /** Brings the index up to date; with `paths` these files alone. */
  index(options?: IndexingOptions): Promise<Outcome<IndexReport>>;
  /** Whether all of these files are in the index. */
  knows(paths: readonly string[]): Promise<boolean>;
  /** What the index holds of each file. */
  contents(): Promise<Outcome<IndexedFile[]>>;
  /** The kept text of a file that is no text itself. */
  textOf(path: string): Promise<Outcome<string>>;
  /** The folders that hold files of the index. */
  folders(): Promise<string[]>;
  close(): Promise<void>;
};

export type RetrievalOptions = {
  dataFolder: string;
  workspace: Workspace;
  embedder?: Embedder;
  /** The index is kept where it opens it, and not in the data folder. */
  shared?: OpenSharedIndex | undefined;
  /** Milliseconds since 1970: files that were changed lately come first among equals. */
  now?(): number;
};

/** Returns a plain object: callers extend it by spreading. */
export const openRetrieval = (options: RetrievalOptions): RetrievalService => {
  const retrieval = new WorkspaceRetrieval(options);
  const { embedder, parser, graph, vectors } = retrieval;
  return {
    embedder,
    parser,
    graph,
    vectors,
    exists: () => retrieval.exists(),
    status: () => retrieval.status(),
    index: (how) => retrieval.index(how),
    search: (query, how) => retrieval.search(query, how),
    knows: (paths) => retrieval.knows(paths),
    contents: () => retrieval.contents(),
    textOf: (path) => retrieval.textOf(path),
    folders: () => retrieval.folders(),
    close: () => retrieval.close(),
  };
};

class WorkspaceRetrieval implements RetrievalService {
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

  constructor({ dataFolder, workspace, embedder, shared: open, now = Date.now }: RetrievalOptions) {
    const { root } = workspace;
    const file = indexFile(dataFolder, root);
    const shared = open?.(root, INDEX_VERSION);
    this.embedder = embedder;
    this.#workspace = workspace;
    this.#now = now;
    this.#reader = new IndexReader(shared ? sharedHome(shared) : fileHome(file));
    this.#thread = openIndexThread(shared ? { root } : { file, root }, shared);
    this.#vectors = embedder && new ChunkVectors(embedder, this.#reader);
  }

  exists(): Promise<boolean> {
    return this.#reader.exists();
  }

  status(): Promise<IndexStatus> {
    return this.#reader.status();
  }

  async knows(paths: readonly string[]): Promise<boolean> {
    const found = await Promise.all(paths.map((path) => this.#reader.sizeAndTime(path)));
    return found.every((file) => file !== undefined);
  }

  contents(): Promise<Outcome<IndexedFile[]>> {
    return this.#reader.contents();
  }

  textOf(path: string): Promise<Outcome<string>> {
    return this.#reader.textOf(path);
  }

  async folders(): Promise<string[]> {
    const paths = await this.#reader.paths();
    return paths.ok ? [...new Set(['', ...paths.value.flatMap(foldersOfFile)])] : [];
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
    const exists = this.exists();
    const running = this.#thread.index(paths, { signal, onProgress });
    this.#first ??= exists.then((isThere) => (isThere ? undefined : running));
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
      const isSame = stat.ok && stat.value.size === known?.size && stat.value.modified_ms === known.modifiedMs;
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

const foldersOfFile = (path: string): string[] => {
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
