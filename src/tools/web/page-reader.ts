/**
 * Reads pages and documents in a thread that is ended when its time or memory is up: an untrusted page can be made so
 * that any reader takes for ever. The libraries are loaded there, and only then.
 */
import { Worker } from 'node:worker_threads';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { packageFile } from '../../disk/own-package.ts';
import { TOOL_LIMITS } from '../limits.ts';
import type { ReadPage } from './read-page.ts';
import type { ReadResults } from './read-results.ts';

export type ReaderRequest =
  | { kind: 'html'; html: string; address: string }
  | { kind: 'results'; html: string }
  | { kind: 'pdf'; bytes: Uint8Array; maxPages: number };
export type ReaderReply = { ok: true; page?: ReadPage; found?: ReadResults } | { ok: false; message: string };

const workerFile = new URL(`./page-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** One thread for one document, gone afterwards: what a page left in it stays nowhere. */
export const readInThread = (
  request: ReaderRequest,
  options: { signal: AbortSignal; timeoutMs?: number },
): Promise<Outcome<Extract<ReaderReply, { ok: true }>>> =>
  new Promise((resolve) => {
    const timeoutMs = options.timeoutMs ?? TOOL_LIMITS.webConvertMs;
    const file = packageFile('tools/web/', workerFile);
    if (!file.ok) return resolve(file);
    const worker = new Worker(file.value, {
      resourceLimits: {
        maxOldGenerationSizeMb: TOOL_LIMITS.webConvertMemoryMb,
        maxYoungGenerationSizeMb: TOOL_LIMITS.webConvertYoungMemoryMb,
      },
      env: {},
      execArgv: [],
      // A library that speaks of what it finds in a document must not write on the person's screen.
      stdout: true,
      stderr: true,
    });
    const settle = (outcome: Outcome<Extract<ReaderReply, { ok: true }>>): void => {
      clearTimeout(timer);
      options.signal.removeEventListener('abort', cancel);
      void worker.terminate();
      resolve(outcome);
    };
    const cancel = (): void => settle(failure('io_error', 'Cancelled.', 'cancelled'));
    const timer = setTimeout(
      () => settle(failure('io_error', `it could not be read within ${timeoutMs / 1_000} s`, 'timeout')),
      timeoutMs,
    );
    options.signal.addEventListener('abort', cancel, { once: true });
    if (options.signal.aborted) cancel();
    worker.once('message', (reply: ReaderReply) =>
      settle(reply.ok ? succeed(reply) : failure('parse_error', reply.message)),
    );
    worker.once('error', (error) => settle(failure('parse_error', error.message, 'broken')));
    worker.postMessage(request);
  });
