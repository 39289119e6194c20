/**
 * Indexing happens in one thread for the whole process. It is started at the first need, serves every open index, and is
 * kept until the process ends: V8 has defects around WebAssembly in threads that start and end one after another (see
 * docs/upstream/v8-wasm-threads.md). An index is closed by a message; nothing terminates the thread in the middle of a
 * statement.
 */
import { Worker } from 'node:worker_threads';
import {
  type IndexStore,
  IndexUnavailable,
  type PendingText,
  type SharedIndex,
  type VectorRow,
} from '../core/index-port.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { IndexProgress, IndexReport } from '../core/retrieval-port.ts';
import { packageFile } from '../disk/own-package.ts';
import { SEARCH_LIMITS } from './limits.ts';

/** The folder that an index is of, and its file; without one, every call of its store is sent back to this thread. */
export type IndexPlace = { file?: string; root: string };
/** What the thread is asked to do. `index` is the number of an open index in this process. */
export type IndexWork = { id: number; index: number; place: IndexPlace } & (
  | {
      type: 'index';
      /** Absent: everything. */
      paths?: readonly string[];
    }
  /** Chunks that have no vector of this model yet. */
  | { type: 'texts'; model: string }
  | { type: 'vectors'; model: string; rows: VectorRow[] }
  /** Cancels what runs and waits for this index, and closes its database. */
  | { type: 'close' }
);
export type IndexRequest =
  | IndexWork
  | { type: 'cancel'; id: number }
  /** What a store said that the thread had asked. */
  | { type: 'answer'; call: number; outcome: Outcome<unknown> };
/** Begins what the thread asks of a store: opens it, which says its notes. */
export type StoreMethod = keyof IndexStore | 'open';
export type IndexReply =
  | { type: 'progress'; id: number; progress: IndexProgress }
  | { type: 'done'; id: number; outcome: Outcome<unknown> }
  | { type: 'call'; call: number; index: number; method: StoreMethod; args: unknown[] };
type PostOptions = { signal?: AbortSignal; onProgress?(progress: IndexProgress): void };

/** One index, written in the thread. */
export type IndexThread = {
  /** Brings the index up to date; with `paths` these files alone. */
  index(paths: readonly string[] | undefined, options?: PostOptions): Promise<Outcome<IndexReport>>;
  texts(model: string): Promise<Outcome<PendingText[]>>;
  vectors(model: string, rows: VectorRow[]): Promise<Outcome<void>>;
  /** Closes the database of this index; the next request opens it again. The thread stays. */
  close(): Promise<void>;
};

/** The objects of one file live shortly: a small young generation costs no time and saves a third of the memory. */
export const INDEX_THREAD_MEMORY = { maxYoungGenerationSizeMb: SEARCH_LIMITS.indexYoungMegabytes };
/** The file that the thread starts from; in tests the built one. */
export const indexWorkerFile = new URL(
  `./index-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`,
  import.meta.url,
);

type Job = PostOptions & { resolve(outcome: Outcome<unknown>): void };
type Without<Work, Keys extends PropertyKey> = Work extends unknown ? Omit<Work, Keys> : never;

class SharedThread {
  readonly #jobs = new Map<number, Job>();
  /** Of indexes that are not files: each asked here, where the database is open. */
  readonly stores = new Map<number, SharedIndex>();
  #worker: Worker | undefined;
  #lastId = 0;

  post(work: Without<IndexWork, 'id'>, { signal, onProgress }: PostOptions = {}): Promise<Outcome<unknown>> {
    return new Promise((resolve) => {
      const file = packageFile('search/', indexWorkerFile);
      if (!file.ok)
        return resolve(failure('io_error', `The index was not made. ${file.error.message}`, 'not_installed'));
      this.#worker ??= this.#start(file.value);
      const worker = this.#worker;
      this.#lastId += 1;
      const id = this.#lastId;
      const cancel = (): void => worker.postMessage({ type: 'cancel', id } satisfies IndexRequest);
      this.#jobs.set(id, {
        onProgress,
        resolve(outcome) {
          signal?.removeEventListener('abort', cancel);
          resolve(outcome);
        },
      });
      worker.ref();
      worker.postMessage({ ...work, id } satisfies IndexRequest);
      if (signal?.aborted) cancel();
      signal?.addEventListener('abort', cancel, { once: true });
    });
  }

  #start(file: URL): Worker {
    const worker = new Worker(file, { execArgv: [], env: {}, resourceLimits: INDEX_THREAD_MEMORY });
    worker.on('message', (reply: IndexReply) => {
      if (reply.type === 'progress') this.#jobs.get(reply.id)?.onProgress?.(reply.progress);
      else if (reply.type === 'done') this.#settle(reply.id, reply.outcome);
      else {
        const { call } = reply;
        void askStore(this.stores.get(reply.index), reply.method, reply.args).then((outcome) =>
          worker.postMessage({ type: 'answer', call, outcome } satisfies IndexRequest),
        );
      }
    });
    const broken = (message: string): void => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      for (const id of this.#jobs.keys()) this.#settle(id, failure('io_error', `The index was not made: ${message}`));
    };
    worker.on('error', (error: Error) => broken(error.message));
    worker.on('exit', () => broken('its thread ended'));
    return worker;
  }

  #settle(id: number, outcome: Outcome<unknown>): void {
    const job = this.#jobs.get(id);
    this.#jobs.delete(id);
    // An idle thread does not keep the process alive.
    if (this.#jobs.size === 0) this.#worker?.unref();
    job?.resolve(outcome);
  }
}

const shared = new SharedThread();
let lastIndex = 0;

type Method = (...args: unknown[]) => Promise<unknown>;

const askStore = async (
  shared: SharedIndex | undefined,
  method: StoreMethod,
  args: unknown[],
): Promise<Outcome<unknown>> => {
  if (shared === undefined) return failure('io_error', 'The index was closed.', 'closed');
  try {
    const { store, notes } = await shared.store();
    return succeed(method === 'open' ? notes : await (store[method] as Method).apply(store, args));
  } catch (error) {
    if (error instanceof IndexUnavailable) return { ok: false, error: error.failure };
    return failure('io_error', `The index (${shared.place}) could not be made: ${(error as Error).message}`);
  }
};

/** An index of its own in the thread of this process; `shared`: not a file, but this one. */
export const openIndexThread = (place: IndexPlace, sharedIndex?: SharedIndex): IndexThread => {
  lastIndex += 1;
  const index = lastIndex;
  if (sharedIndex !== undefined) shared.stores.set(index, sharedIndex);
  let isOpen = false;
  const post = async <T>(
    work: Without<IndexWork, 'id' | 'index' | 'place'>,
    options?: PostOptions,
  ): Promise<Outcome<T>> => {
    isOpen = work.type !== 'close';
    return (await shared.post({ ...work, index, place }, options)) as Outcome<T>;
  };
  return {
    index: (paths, options) => post({ type: 'index', paths }, options),
    texts: (model) => post({ type: 'texts', model }),
    vectors: (model, rows) => post({ type: 'vectors', model, rows }),
    async close() {
      if (!isOpen) return;
      // A file that takes long to parse is not waited for; its index is closed after it.
      await Promise.race([post({ type: 'close' }), patience()]);
    },
  };
};

const patience = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, SEARCH_LIMITS.indexCloseMs).unref());
