/**
 * Keeps an index up to date while a session is open: a look at everything at the beginning, then what the session's own
 * tools read and write, and what changes in the folders. All of it in the index's thread; nothing waits for it.
 */

import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import type { SessionUpdate } from '../core/events.ts';
import { type FolderWatch, watchFolders } from '../io/workspace/watch.ts';
import { SEARCH_LIMITS } from './limits.ts';
import type { RetrievalService } from './open-retrieval.ts';

export type KeptIndex = {
  /** To be told of everything that happens in a session. */
  hear(update: SessionUpdate): void;
  /** Resolves when nothing that was asked for is still to be done. */
  settled(): Promise<void>;
  /** What the session itself read and wrote is still taken in, as long as that does not take long. */
  close(): Promise<void>;
};

const PATH_TOOLS: ReadonlySet<string> = new Set([
  'read_file',
  'write_file',
  'edit_file',
  'replace_lines',
  'insert_lines',
]);

/** A file that never stops changing, a log say, takes a fifth of a processor at most. */
const REST = 4;

export const keepIndexed = (
  service: RetrievalService,
  root: string,
  onProblem: (message: string) => void,
): KeptIndex => {
  const controller = new AbortController();
  const { signal } = controller;
  const calls = new Map<string, string>();
  let waiting = new Set<string>();
  let everything = false;
  let timer: NodeJS.Timeout | undefined;
  let restUntil = 0;
  let running: Promise<void> | undefined;
  let watching: FolderWatch | undefined;
  let said = false;

  /** One look; what came meanwhile is for the next. */
  const work = async (): Promise<void> => {
    const paths = everything || waiting.size > SEARCH_LIMITS.indexPathsAtOnce ? undefined : [...waiting];
    everything = false;
    waiting = new Set();
    const started = performance.now();
    const done = await service.index({ signal, ...(paths ? { paths } : {}) });
    const took = performance.now() - started;
    restUntil = performance.now() + Math.min(SEARCH_LIMITS.indexRestMs, took * REST);
    if (signal.aborted) return;
    const problem = done.ok ? done.value.notes.join(' ') : done.error.message;
    if (problem !== '' && !said) onProblem(problem);
    said ||= problem !== '';
    if (done.ok && (paths === undefined || watching === undefined)) await watchAgain();
  };
  const watchAgain = async (): Promise<void> => {
    const folders = await service.folders();
    if (signal.aborted) return;
    watching ??= watchFolders(root, (path) => soon(path));
    watching.folders(folders);
  };
  const start = (): void => {
    timer = undefined;
    running ??= work().finally(() => {
      running = undefined;
      if (!signal.aborted && (everything || waiting.size > 0)) later();
    });
  };
  const later = (): void => {
    const pauseMs = Math.max(SEARCH_LIMITS.indexDebounceMs, restUntil - performance.now());
    timer ??= setTimeout(start, pauseMs).unref();
  };
  /** A file that is in the index is looked at by itself; for any other the ignore files must be asked, so for all. */
  const soon = (path: string | undefined): void => {
    if (signal.aborted) return;
    if (path !== undefined && service.knows(path)) waiting.add(path);
    else everything = true;
    if (running === undefined) later();
  };

  const settled = async (): Promise<void> => {
    while (timer !== undefined || running !== undefined) {
      if (timer !== undefined) {
        clearTimeout(timer);
        start();
      }
      await running;
    }
  };

  everything = true;
  start();
  return {
    hear(update) {
      if (update.type === 'assistant_message_added') {
        for (const { id, name, arguments: args } of update.message.tool_calls) {
          if (PATH_TOOLS.has(name) && typeof args['path'] === 'string') calls.set(id, args['path']);
        }
      } else if (update.type === 'tool_finished') {
        const path = calls.get(update.tool_call_id);
        calls.delete(update.tool_call_id);
        if (path !== undefined && update.result.success) soon(path.replace(/^\.\//, ''));
      }
    },
    settled,
    async close() {
      watching?.close();
      await Promise.race([settled(), setTimeoutAsync(SEARCH_LIMITS.indexCloseMs, undefined, { ref: false })]);
      clearTimeout(timer);
      controller.abort();
    },
  };
};
