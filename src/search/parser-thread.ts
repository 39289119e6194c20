/** A thread that parses while the indexing thread writes. */
import { Worker } from 'node:worker_threads';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { INDEX_THREAD_MEMORY } from './index-thread.ts';
import type { Language, LanguageName } from './languages.ts';
import { SEARCH_LIMITS } from './limits.ts';
import { type Outline, REFERENCE_KINDS } from './outline.ts';
import type { ParserThread } from './prepare-file.ts';

export type ParseRequest = { type: 'parse'; id: number; language: LanguageName; text: string } | { type: 'end' };
export type ParseReply = { id: number; outline: PackedOutline | undefined };

/** References are many and alike: as numbers they cross from thread to thread in one piece. */
export type PackedOutline = Omit<Outline, 'references'> & { names: string[]; references: Int32Array };

const NUMBERS_EACH = 4;

export const packOutline = ({ references, ...rest }: Outline): PackedOutline => {
  const places = new Map<string, number>();
  const packed = new Int32Array(references.length * NUMBERS_EACH);
  for (const [index, { name, kind, within, line }] of references.entries()) {
    let place = places.get(name);
    if (place === undefined) {
      place = places.size;
      places.set(name, place);
    }
    packed.set([place, REFERENCE_KINDS.indexOf(kind), within, line], index * NUMBERS_EACH);
  }
  return { ...rest, names: [...places.keys()], references: packed };
};

export const unpackOutline = ({ names, references, ...rest }: PackedOutline): Outline => ({
  ...rest,
  references: Array.from({ length: references.length / NUMBERS_EACH }, (_none, index) => {
    const at = index * NUMBERS_EACH;
    return {
      name: names[references[at] as number] as string,
      kind: REFERENCE_KINDS[references[at + 1] as number] as (typeof REFERENCE_KINDS)[number],
      within: references[at + 2] as number,
      line: references[at + 3] as number,
    };
  }),
});

const workerFile = new URL(`./parser-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
const GONE = failure('io_error', 'The parsing thread ended');

/** A thread of its own. Its end is asked for by a message; only one that does not answer is terminated. */
export class ParsingThread implements ParserThread {
  readonly #worker = new Worker(workerFile, { execArgv: [], env: {}, resourceLimits: INDEX_THREAD_MEMORY });
  readonly #waiting = new Map<number, (outcome: Outcome<Outline | undefined>) => void>();
  readonly #exited: Promise<void>;
  #lastId = 0;
  #gone = false;

  constructor() {
    this.#worker.on('message', ({ id, outline }: ParseReply) => {
      this.#waiting.get(id)?.(succeed(outline && unpackOutline(outline)));
      this.#waiting.delete(id);
    });
    this.#worker.on('error', () => this.#end());
    this.#exited = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        this.#end();
        resolve();
      });
    });
  }

  get isGone(): boolean {
    return this.#gone;
  }

  outlineOf({ name: language }: Language, text: string): Promise<Outcome<Outline | undefined>> {
    return new Promise((resolve) => {
      if (this.#gone) return resolve(GONE);
      this.#lastId += 1;
      this.#waiting.set(this.#lastId, resolve);
      const request: ParseRequest = { type: 'parse', id: this.#lastId, language, text };
      this.#worker.postMessage(request);
    });
  }

  async close(): Promise<void> {
    this.#end();
    this.#worker.postMessage({ type: 'end' } satisfies ParseRequest);
    const terminate = setTimeout(() => void this.#worker.terminate(), SEARCH_LIMITS.indexParserEndMs);
    await this.#exited;
    clearTimeout(terminate);
  }

  #end(): void {
    this.#gone = true;
    for (const settle of this.#waiting.values()) settle(GONE);
    this.#waiting.clear();
  }
}

/** One parsing thread for many runs of the indexer, one after the other or at once; it ends after some time without work. */
export class KeptParserThread {
  #thread: ParsingThread | undefined;
  #users = 0;
  #idle: NodeJS.Timeout | undefined;

  /** The thread for one run. `close` gives it back. */
  use(): ParserThread {
    clearTimeout(this.#idle);
    this.#users += 1;
    if (this.#thread?.isGone) this.#thread = undefined;
    this.#thread ??= new ParsingThread();
    const thread = this.#thread;
    let returned = false;
    return {
      outlineOf: (language, text) => (returned ? Promise.resolve(GONE) : thread.outlineOf(language, text)),
      close: async () => {
        if (returned) return;
        returned = true;
        this.#users -= 1;
        if (this.#users === 0) this.#idle = setTimeout(() => this.#end(), SEARCH_LIMITS.indexParserIdleMs);
      },
    };
  }

  #end(): void {
    void this.#thread?.close();
    this.#thread = undefined;
  }
}
