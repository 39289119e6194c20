/** A thread that parses while the indexing thread writes. It lives as long as there is much to index. */
import { Worker } from 'node:worker_threads';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { INDEX_THREAD_MEMORY } from './index-thread.ts';
import type { ParserThread } from './indexer.ts';
import type { LanguageName } from './languages.ts';
import { type Outline, REFERENCE_KINDS } from './outline.ts';

export type ParseRequest = { id: number; language: LanguageName; text: string };
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

export const createParserThread = (): ParserThread => {
  const worker = new Worker(workerFile, { execArgv: [], env: {}, resourceLimits: INDEX_THREAD_MEMORY });
  const waiting = new Map<number, (outcome: Outcome<Outline | undefined>) => void>();
  let lastId = 0;
  let gone = false;
  const end = (): void => {
    gone = true;
    for (const settle of waiting.values()) settle(GONE);
    waiting.clear();
  };
  worker.on('message', ({ id, outline }: ParseReply) => {
    waiting.get(id)?.(succeed(outline && unpackOutline(outline)));
    waiting.delete(id);
  });
  worker.on('error', end);
  worker.on('exit', end);
  return {
    outlineOf: ({ name: language }, text) =>
      new Promise((resolve) => {
        if (gone) return resolve(GONE);
        lastId += 1;
        waiting.set(lastId, resolve);
        worker.postMessage({ id: lastId, language, text } satisfies ParseRequest);
      }),
    async close() {
      await worker.terminate();
      end();
    },
  };
};
