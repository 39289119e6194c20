/** The inside of `index-thread.ts`: writes every open index of the process, with its own port to each folder. */
import { availableParallelism } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { type IndexStore, IndexUnavailable } from '../core/index-port.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { IndexProgress } from '../core/retrieval-port.ts';
import { createWorkspace } from '../io/workspace.ts';
import { openIndex, problemOf } from './database.ts';
import type { IndexPlace, IndexReply, IndexRequest, IndexWork, StoreMethod } from './index-thread.ts';
import { Indexer } from './indexer.ts';
import { SEARCH_LIMITS } from './limits.ts';
import { KeptParserThread } from './parser-thread.ts';
import { SqliteStore } from './sqlite-store.ts';

const PROGRESS_MS = 50;

const reply = (message: IndexReply): void => parentPort?.postMessage(message);
const parserThread = availableParallelism() > 1 ? new KeptParserThread() : undefined;

type Opened = { store: IndexStore; close(): void; indexer: Indexer; notes: string[] };

/** One index. Its requests are worked off one after the other; those of different indexes take turns. */
class OpenIndex {
  readonly #number: number;
  readonly #place: IndexPlace;
  readonly #running = new Map<number, AbortController>();
  #opening: Promise<Opened> | undefined;
  #queue: Promise<void> = Promise.resolve();

  constructor(number: number, place: IndexPlace) {
    this.#number = number;
    this.#place = place;
  }

  /** From now on it can be cancelled, also while it waits for its turn. */
  add(work: IndexWork): void {
    const controller = new AbortController();
    if (work.type === 'close') this.#cancelAll();
    this.#running.set(work.id, controller);
    this.#queue = this.#queue.then(async () => {
      const outcome = await this.#work(work, controller.signal);
      this.#running.delete(work.id);
      reply({ type: 'done', id: work.id, outcome });
    });
  }

  cancel(id: number): void {
    this.#running.get(id)?.abort();
  }

  #cancelAll(): void {
    for (const controller of this.#running.values()) controller.abort();
  }

  async #work(work: IndexWork, signal: AbortSignal): Promise<Outcome<unknown>> {
    if (work.type === 'close') {
      await this.#close();
      // What came after it opens the index again, in the same order.
      if (this.#running.size === 1) indexes.delete(work.index);
      return succeed(undefined);
    }
    try {
      this.#opening ??= this.#open();
      return await this.#workOn(await this.#opening, work, signal);
    } catch (error) {
      // The error may come from the open file, so the next request opens it again.
      await this.#close();
      if (error instanceof IndexUnavailable) return { ok: false, error: error.failure };
      return failure('io_error', problemOf(error, this.#place.file ?? this.#place.root));
    }
  }

  async #workOn(
    { store, indexer, notes }: Opened,
    work: Exclude<IndexWork, { type: 'close' }>,
    signal: AbortSignal,
  ): Promise<Outcome<unknown>> {
    if (work.type === 'texts') return succeed(await store.pendingTexts(work.model, SEARCH_LIMITS.embedBatch));
    if (work.type === 'vectors') return succeed(await store.writeVectors(work.model, work.rows));
    const options = { signal, onProgress: progressOf(work.id) };
    const done = work.paths === undefined ? await indexer.all(options) : await indexer.some(work.paths, options);
    if (done.ok) done.value.notes.push(...notes.splice(0));
    return done;
  }

  async #open(): Promise<Opened> {
    const workspace = await createWorkspace({ root: this.#place.root, blocking: true });
    if (!workspace.ok) throw new Error(workspace.error.message);
    const { store, close, notes } = await this.#openStore();
    const indexer = new Indexer({
      store,
      workspace: workspace.value,
      now: () => Date.now(),
      openParser: parserThread && (() => parserThread.use()),
    });
    return { store, close, indexer, notes };
  }

  async #openStore(): Promise<Omit<Opened, 'indexer'>> {
    const { file } = this.#place;
    if (file === undefined) {
      const notes = (await callStore(this.#number, 'open')) as string[];
      return { store: remoteStore(this.#number), close: () => {}, notes };
    }
    const { database, notes } = openIndex(file);
    return { store: new SqliteStore(database), close: () => database.close(), notes };
  }

  async #close(): Promise<void> {
    const opened = await this.#opening?.catch(() => undefined);
    this.#opening = undefined;
    try {
      opened?.close();
    } catch {
      // It is as good as closed.
    }
  }
}

/** Not more often than a person can see. */
const progressOf = (id: number): ((progress: IndexProgress) => void) => {
  let shown = 0;
  return (progress) => {
    if (performance.now() - shown < PROGRESS_MS && progress.done < progress.total) return;
    shown = performance.now();
    reply({ type: 'progress', id, progress });
  };
};

const indexes = new Map<number, OpenIndex>();

/** What was asked of a store that is open in the main thread, and is not answered yet. */
const calls = new Map<number, (outcome: Outcome<unknown>) => void>();
let lastCall = 0;

const callStore = async (index: number, method: StoreMethod, ...args: unknown[]): Promise<unknown> => {
  lastCall += 1;
  const call = lastCall;
  const outcome = await new Promise<Outcome<unknown>>((resolve) => {
    calls.set(call, resolve);
    reply({ type: 'call', call, index, method, args });
  });
  if (!outcome.ok) throw new IndexUnavailable(outcome.error);
  return outcome.value;
};

const remoteStore = (index: number): IndexStore => {
  const method =
    <Name extends keyof IndexStore>(name: Name) =>
    (...args: Parameters<IndexStore[Name]>) =>
      callStore(index, name, ...args) as ReturnType<IndexStore[Name]>;
  return {
    known: method('known'),
    knownFile: method('knownFile'),
    apply: method('apply'),
    noteChanges: method('noteChanges'),
    pendingTexts: method('pendingTexts'),
    writeVectors: method('writeVectors'),
  };
};

parentPort?.on('message', (request: IndexRequest) => {
  if (request.type === 'answer') {
    calls.get(request.call)?.(request.outcome);
    calls.delete(request.call);
    return;
  }
  if (request.type === 'cancel') {
    for (const index of indexes.values()) index.cancel(request.id);
    return;
  }
  const index = indexes.get(request.index) ?? new OpenIndex(request.index, request.place);
  indexes.set(request.index, index);
  index.add(request);
});
