/**
 * Conversations of many people, run by whichever worker has room. DBOS decides which worker runs a job and sees to it that
 * one does; what is to be done is decided by the log of the session alone. The reasons are in
 * docs/decisions/0015-the-log-decides-what-and-dbos-who.md.
 */
export { type HandOverOptions, handToWorkers } from './hand-over.ts';
export { noWorkerText, readDepth } from './queue-depth.ts';
export { retryJob } from './retry-job.ts';
export { startWorker, type Worker, type WorkerOptions, type WorkerProgress } from './worker.ts';
