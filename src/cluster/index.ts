/**
 * Conversations of many, run by whoever has room. DBOS decides who runs an order and sees to it that somebody does; what
 * is done is decided by the log of the session and by nothing else. Why it is parted so stands in
 * docs/decisions/0015-the-log-decides-what-and-dbos-who.md.
 */
export { type HandOverOptions, handToWorkers } from './hand-over.ts';
export { startWorker, type Worker, type WorkerOptions } from './worker.ts';
