/** The inside of `index-thread.ts`: writes every open index of the process, with its own port to each folder. */
import { availableParallelism } from 'node:os';
import type { DatabaseSync } from 'node:sqlite';
import { parentPort } from 'node:worker_threads';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { IndexProgress } from '../core/retrieval-port.ts';
import { createWorkspace } from '../io/workspace.ts';
import { openIndex, problemOf } from './database.ts';
import type { IndexPlace, IndexReply, IndexRequest, IndexWork } from './index-thread.ts';
import { Indexer } from './indexer.ts';
import { SEARCH_LIMITS } from './limits.ts';
import { KeptParserThread } from './parser-thread.ts';
import { pendingTexts, writeVectors } from './vectors.ts';

const PROGRESS_MS = 50;

const reply = (message: IndexReply): void => parentPort?.postMessage(message);
const parserThread = availableParallelism() > 1 ? new KeptParserThread() : undefined;

type Opened = { database: DatabaseSync; indexer: Indexer; notes: string[] };

/** One index. Its requests are worked off one after the other; those of different indexes take turns. */
class OpenIndex {
  readonly #place: IndexPlace;
  readonly #running = new Map<number, AbortController>();
  #opening: Promise<Opened> | undefined;
  #queue: Promise<void> = Promise.resolve();

  constructor(place: IndexPlace) {
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
      return failure('io_error', problemOf(error, this.#place.file));
    }
  }

  async #workOn(
    { database, indexer, notes }: Opened,
    work: Exclude<IndexWork, { type: 'close' }>,
    signal: AbortSignal,
  ): Promise<Outcome<unknown>> {
    if (work.type === 'texts') return succeed(pendingTexts(database, work.model, SEARCH_LIMITS.embedBatch));
    if (work.type === 'vectors') return succeed(writeVectors(database, work.model, work.rows));
    const options = { signal, onProgress: progressOf(work.id) };
    const done = work.paths === undefined ? await indexer.all(options) : await indexer.some(work.paths, options);
    if (done.ok) done.value.notes.push(...notes.splice(0));
    return done;
  }

  async #open(): Promise<Opened> {
    const workspace = await createWorkspace({ root: this.#place.root, blocking: true });
    if (!workspace.ok) throw new Error(workspace.error.message);
    const { database, notes } = openIndex(this.#place.file);
    const indexer = new Indexer({
      database,
      workspace: workspace.value,
      now: () => Date.now(),
      openParser: parserThread && (() => parserThread.use()),
    });
    return { database, indexer, notes };
  }

  async #close(): Promise<void> {
    const opened = await this.#opening?.catch(() => undefined);
    this.#opening = undefined;
    try {
      opened?.database.close();
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

parentPort?.on('message', (request: IndexRequest) => {
  if (request.type === 'cancel') {
    for (const index of indexes.values()) index.cancel(request.id);
    return;
  }
  const index = indexes.get(request.index) ?? new OpenIndex(request.place);
  indexes.set(request.index, index);
  index.add(request);
});
