/** Indexing is in nobody's way: it happens in a thread that is started at the first need. */

import { Worker } from 'node:worker_threads';
import { failure, type Outcome } from '../core/outcome.ts';
import type { IndexProgress, IndexReport } from '../core/retrieval-port.ts';
import { SEARCH_LIMITS } from './limits.ts';
import type { PendingText } from './vectors.ts';

export type IndexWorkerData = { file: string; root: string };
export type IndexRequest =
  | { type: 'index'; id: number /** Absent: everything. */; paths?: readonly string[] }
  /** Chunks that have no vector of this model yet. */
  | { type: 'texts'; id: number; model: string }
  | { type: 'vectors'; id: number; model: string; rows: { chunk: number; vector: Float32Array }[] }
  | { type: 'cancel'; id: number };
export type IndexReply =
  | { type: 'progress'; id: number; progress: IndexProgress }
  | { type: 'done'; id: number; outcome: Outcome<unknown> };

export type IndexThread = {
  index(
    paths: readonly string[] | undefined,
    options?: { signal?: AbortSignal; onProgress?(progress: IndexProgress): void },
  ): Promise<Outcome<IndexReport>>;
  texts(model: string): Promise<Outcome<PendingText[]>>;
  vectors(model: string, rows: { chunk: number; vector: Float32Array }[]): Promise<Outcome<void>>;
  close(): Promise<void>;
};

/** What a file leaves behind is short-lived: a small nursery costs no time and a third of the memory. */
export const INDEX_THREAD_MEMORY = { maxYoungGenerationSizeMb: SEARCH_LIMITS.indexYoungMegabytes };
const workerFile = new URL(`./index-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

export const createIndexThread = (data: IndexWorkerData): IndexThread => {
  type Job = { resolve(outcome: Outcome<unknown>): void; onProgress?(progress: IndexProgress): void };
  const jobs = new Map<number, Job>();
  let worker: Worker | undefined;
  let lastId = 0;

  const settle = (id: number, outcome: Outcome<unknown>): void => {
    const job = jobs.get(id);
    jobs.delete(id);
    // An idle thread does not keep the program alive.
    if (jobs.size === 0) worker?.unref();
    job?.resolve(outcome);
  };
  const start = (): Worker => {
    const own = new Worker(workerFile, {
      workerData: data,
      execArgv: [],
      env: {},
      resourceLimits: INDEX_THREAD_MEMORY,
    });
    own.on('message', (reply: IndexReply) => {
      if (reply.type === 'progress') jobs.get(reply.id)?.onProgress?.(reply.progress);
      else settle(reply.id, reply.outcome);
    });
    const broken = (message: string): void => {
      if (worker === own) worker = undefined;
      for (const id of jobs.keys()) settle(id, failure('io_error', `The index could not be made: ${message}`));
    };
    own.on('error', (error: Error) => broken(error.message));
    own.on('exit', () => broken('its thread ended'));
    return own;
  };

  const post = <T>(
    make: (id: number) => IndexRequest,
    { signal, onProgress }: { signal?: AbortSignal; onProgress?(progress: IndexProgress): void } = {},
  ): Promise<Outcome<T>> =>
    new Promise((resolve) => {
      worker ??= start();
      const own = worker;
      lastId += 1;
      const id = lastId;
      const cancel = (): void => own.postMessage({ type: 'cancel', id } satisfies IndexRequest);
      jobs.set(id, {
        resolve(outcome) {
          signal?.removeEventListener('abort', cancel);
          resolve(outcome as Outcome<T>);
        },
        ...(onProgress ? { onProgress } : {}),
      });
      own.ref();
      own.postMessage(make(id));
      if (signal?.aborted) cancel();
      signal?.addEventListener('abort', cancel, { once: true });
    });

  return {
    index: (paths, options) => post((id) => ({ type: 'index', id, ...(paths ? { paths } : {}) }), options),
    texts: (model) => post((id) => ({ type: 'texts', id, model })),
    vectors: (model, rows) => post((id) => ({ type: 'vectors', id, model, rows })),
    async close() {
      const own = worker;
      worker = undefined;
      // Whatever was being written is undone by the next opener; nothing waits for it here.
      await own?.terminate();
    },
  };
};
