/** The inside of `index-thread.ts`: indexing in a thread of its own, with a door to the same folder. */

import { availableParallelism } from 'node:os';
import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { failure, succeed } from '../core/outcome.ts';
import { createWorkspace } from '../io/workspace.ts';
import { openIndex, problemOf } from './database.ts';
import type { IndexReply, IndexRequest, IndexWorkerData } from './index-thread.ts';
import { createIndexer, type Indexer } from './indexer.ts';
import { SEARCH_LIMITS } from './limits.ts';
import { createParserThread } from './parser-thread.ts';
import { pendingTexts, writeVectors } from './vectors.ts';

const { file, root } = workerData as IndexWorkerData;
const PROGRESS_MS = 50;

const reply = (message: IndexReply): void => parentPort?.postMessage(message);

type Opened = { database: DatabaseSync; indexer: Indexer; notes: string[] };
const open = async (): Promise<Opened> => {
  const workspace = await createWorkspace({ root, blocking: true });
  if (!workspace.ok) throw new Error(workspace.error.message);
  const { database, notes } = openIndex(file);
  const indexer = createIndexer({
    database,
    workspace: workspace.value,
    now: () => Date.now(),
    ...(availableParallelism() > 1 ? { openParser: createParserThread } : {}),
  });
  return { database, indexer, notes };
};

let opening: Promise<Opened> | undefined;
let queue: Promise<void> = Promise.resolve();
const running = new Map<number, AbortController>();

/** What went wrong may have to do with the open file, so the next request opens it again. */
const forget = async (): Promise<void> => {
  const opened = await opening?.catch(() => undefined);
  opening = undefined;
  try {
    opened?.database.close();
  } catch {
    // It is as good as closed.
  }
};

const work = async (request: Exclude<IndexRequest, { type: 'cancel' }>, signal: AbortSignal): Promise<void> => {
  try {
    opening ??= open();
    const opened = await opening;
    if (request.type === 'texts') {
      const texts = pendingTexts(opened.database, request.model, SEARCH_LIMITS.embedBatch);
      return reply({ type: 'done', id: request.id, outcome: succeed(texts) });
    }
    if (request.type === 'vectors') {
      writeVectors(opened.database, request.model, request.rows);
      return reply({ type: 'done', id: request.id, outcome: succeed(undefined) });
    }
    let shown = 0;
    const options = {
      signal,
      onProgress: (progress: Extract<IndexReply, { type: 'progress' }>['progress']) => {
        if (performance.now() - shown < PROGRESS_MS && progress.done < progress.total) return;
        shown = performance.now();
        reply({ type: 'progress', id: request.id, progress });
      },
    };
    const done =
      request.paths === undefined
        ? await opened.indexer.all(options)
        : await opened.indexer.some(request.paths, options);
    if (done.ok) done.value.notes.push(...opened.notes.splice(0));
    reply({ type: 'done', id: request.id, outcome: done });
  } catch (error) {
    await forget();
    reply({ type: 'done', id: request.id, outcome: failure('io_error', problemOf(error, file)) });
  } finally {
    running.delete(request.id);
  }
};

parentPort?.on('message', (request: IndexRequest) => {
  if (request.type === 'cancel') running.get(request.id)?.abort();
  else {
    // From now on it can be cancelled, also while it waits for its turn.
    const controller = new AbortController();
    running.set(request.id, controller);
    queue = queue.then(() => work(request, controller.signal));
  }
});
