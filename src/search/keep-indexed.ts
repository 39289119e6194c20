/**
 * Keeps an index up to date while a session is open: a look at everything at the beginning, then what the session's own
 * tools read and write, and what changes in the folders. All of it in the index's thread; nothing waits for it.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionUpdate } from '../core/events.ts';
import { type FolderWatch, watchFolders } from '../io/workspace/watch.ts';
import { SEARCH_LIMITS } from './limits.ts';
import type { RetrievalService } from './open-retrieval.ts';

const PATH_TOOLS: ReadonlySet<string> = new Set([
  'read_file',
  'write_file',
  'edit_file',
  'replace_lines',
  'insert_lines',
]);

/** A file that never stops changing, a log say, takes a fifth of a processor at most. */
const REST = 4;

export class KeptIndex {
  readonly #service: RetrievalService;
  readonly #root: string;
  readonly #onProblem: (message: string) => void;
  readonly #controller = new AbortController();
  readonly #calls = new Map<string, string>();
  #waiting = new Set<string>();
  #everything = true;
  #timer: NodeJS.Timeout | undefined;
  #restUntil = 0;
  #running: Promise<void> | undefined;
  #watching: FolderWatch | undefined;
  #isProblemTold = false;

  constructor(service: RetrievalService, root: string, onProblem: (message: string) => void) {
    this.#service = service;
    this.#root = root;
    this.#onProblem = onProblem;
    this.#start();
  }

  /** To be told of everything that happens in a session. */
  hear(update: SessionUpdate): void {
    if (update.type === 'assistant_message_added') {
      for (const { id, name, arguments: args } of update.message.tool_calls) {
        if (PATH_TOOLS.has(name) && typeof args['path'] === 'string') this.#calls.set(id, args['path']);
      }
    } else if (update.type === 'tool_finished') {
      const path = this.#calls.get(update.tool_call_id);
      this.#calls.delete(update.tool_call_id);
      if (path !== undefined && update.result.success) this.#soon(path.replace(/^\.\//, ''));
    }
  }

  /** Resolves when nothing that was asked for is still to be done. */
  async settled(): Promise<void> {
    while (this.#timer !== undefined || this.#running !== undefined) {
      if (this.#timer !== undefined) {
        clearTimeout(this.#timer);
        this.#start();
      }
      await this.#running;
    }
  }

  /** What the session itself read and wrote is still taken in, as long as that does not take long. */
  async close(): Promise<void> {
    this.#watching?.close();
    await Promise.race([this.settled(), sleep(SEARCH_LIMITS.indexCloseMs, undefined, { ref: false })]);
    clearTimeout(this.#timer);
    this.#controller.abort();
  }

  #soon(path: string | undefined): void {
    if (this.#controller.signal.aborted) return;
    if (path === undefined) this.#everything = true;
    else this.#waiting.add(path);
    if (this.#running === undefined) this.#later();
  }

  #later(): void {
    const pauseMs = Math.max(SEARCH_LIMITS.indexDebounceMs, this.#restUntil - performance.now());
    this.#timer ??= setTimeout(() => this.#start(), pauseMs).unref();
  }

  #start(): void {
    this.#timer = undefined;
    this.#running ??= this.#look().finally(() => {
      this.#running = undefined;
      const isMore = this.#everything || this.#waiting.size > 0;
      if (!this.#controller.signal.aborted && isMore) this.#later();
    });
  }

  /** One look. What changes meanwhile is for the next. */
  async #look(): Promise<void> {
    const { signal } = this.#controller;
    const waiting = [...this.#waiting];
    const isMany = this.#everything || waiting.length > SEARCH_LIMITS.indexPathsAtOnce;
    this.#everything = false;
    this.#waiting = new Set();
    const started = performance.now();
    // A file that is in the index is looked at by itself; for any other the ignore files must be asked, so for all.
    const isAll = isMany || !(await this.#service.knows(waiting));
    const paths = isAll ? undefined : waiting;
    const done = await this.#service.index({ signal, paths });
    const took = performance.now() - started;
    this.#restUntil = performance.now() + Math.min(SEARCH_LIMITS.indexRestMs, took * REST);
    if (signal.aborted) return;
    this.#tellProblem(done.ok ? done.value.notes.join(' ') : done.error.message);
    if (done.ok && (isAll || this.#watching === undefined)) await this.#watchAgain();
  }

  #tellProblem(problem: string): void {
    if (problem === '' || this.#isProblemTold) return;
    this.#isProblemTold = true;
    this.#onProblem(problem);
  }

  async #watchAgain(): Promise<void> {
    const folders = await this.#service.folders();
    if (this.#controller.signal.aborted) return;
    this.#watching ??= watchFolders(this.#root, (path) => this.#soon(path));
    this.#watching.folders(folders);
  }
}
