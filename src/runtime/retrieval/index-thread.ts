/** Indexing is in nobody's way: it happens in a thread that is started at the first need. */
import { Worker } from 'node:worker_threads';
import { failure, type Outcome } from '../../core/outcome.ts';
import type { IndexProgress, IndexReport } from '../../core/retrieval-port.ts';

export type IndexWorkerData = { file: string; root: string };
export type IndexRequest =
  | { type: 'index'; id: number /** Absent: everything. */; paths?: readonly string[] }
  | { type: 'cancel'; id: number };
export type IndexReply =
  | { type: 'progress'; id: number; progress: IndexProgress }
  | { type: 'done'; id: number; outcome: Outcome<IndexReport> };

export type IndexThread = {
  index(
    paths: readonly string[] | undefined,
    options?: { signal?: AbortSignal; onProgress?(progress: IndexProgress): void },
  ): Promise<Outcome<IndexReport>>;
  close(): Promise<void>;
};

const workerFile = new URL(`./index-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

export const createIndexThread = (data: IndexWorkerData): IndexThread => {
  type Job = { resolve(outcome: Outcome<IndexReport>): void; onProgress?(progress: IndexProgress): void };
  const jobs = new Map<number, Job>();
  let worker: Worker | undefined;
  let lastId = 0;

  const settle = (id: number, outcome: Outcome<IndexReport>): void => {
    const job = jobs.get(id);
    jobs.delete(id);
    // An idle thread does not keep the program alive.
    if (jobs.size === 0) worker?.unref();
    job?.resolve(outcome);
  };
  const start = (): Worker => {
    const own = new Worker(workerFile, { workerData: data, execArgv: [], env: {} });
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

  return {
    index: (paths, { signal, onProgress } = {}) =>
      new Promise((resolve) => {
        worker ??= start();
        const own = worker;
        lastId += 1;
        const id = lastId;
        const cancel = (): void => own.postMessage({ type: 'cancel', id } satisfies IndexRequest);
        jobs.set(id, {
          resolve(outcome) {
            signal?.removeEventListener('abort', cancel);
            resolve(outcome);
          },
          ...(onProgress ? { onProgress } : {}),
        });
        own.ref();
        own.postMessage({ type: 'index', id, ...(paths ? { paths } : {}) } satisfies IndexRequest);
        if (signal?.aborted) cancel();
        signal?.addEventListener('abort', cancel, { once: true });
      }),
    async close() {
      const own = worker;
      worker = undefined;
      // Whatever was being written is undone by the next opener; nothing waits for it here.
      await own?.terminate();
    },
  };
};
