/** A large folder out of a small one, and how long questions to it take. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SourceFile } from '../../evals/retrieval/questions.ts';
import type { Searcher } from '../../src/search/search.ts';

const ASKED = 3;

export const put = (root: string, files: readonly SourceFile[]): void => {
  for (const { path, text } of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
};

/** The files once more under another folder, every longer word with an ending of its own now and then. */
export const copyInto = (root: string, files: readonly SourceFile[], copy: number): string => {
  const renamed = files.map(({ path, text }) => ({
    path: `copy${copy}/${path}`,
    text:
      copy === 0
        ? text
        : text.replaceAll(/\b[a-z][A-Za-z]{7,}\b/g, (word) => (word.length % 3 === copy % 3 ? `${word}${copy}` : word)),
  }));
  put(root, renamed);
  return root;
};

/** How long a question takes in the middle, and at the 95th percentile, in milliseconds. */
export const askedOf = async (searcher: Searcher, asked: readonly { text: string }[]) => {
  const times: number[] = [];
  for (const { text } of asked) {
    // The least of a few: what one question takes, and not what the machine did meanwhile.
    let least = Number.POSITIVE_INFINITY;
    for (let run = 0; run < ASKED; run += 1) {
      const started = performance.now();
      await searcher.search(text, { limit: 10 });
      least = Math.min(least, performance.now() - started);
    }
    times.push(least);
  }
  times.sort((a, b) => a - b);
  return { median: times[Math.floor(times.length / 2)] ?? 0, slow: times[Math.floor(times.length * 0.95)] ?? 0 };
};
