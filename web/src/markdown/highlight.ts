/** Asks the thread that colours code. It is started with the first block that names a language. */
import type { HighlightAnswer, HighlightRequest, Token } from './highlight-worker.ts';
import { languageOf } from './languages.ts';

export type { Token } from './highlight-worker.ts';

type Ask = (request: Omit<HighlightRequest, 'id'>) => Promise<readonly (readonly Token[])[]>;

const start = (): Ask => {
  const worker = new Worker(new URL('./highlight-worker.ts', import.meta.url), { type: 'module' });
  const waiting = new Map<number, (lines: readonly (readonly Token[])[]) => void>();
  let last = 0;
  worker.addEventListener('message', ({ data }: MessageEvent<HighlightAnswer>) => {
    waiting.get(data.id)?.(data.lines);
    waiting.delete(data.id);
  });
  return (request) =>
    new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      worker.postMessage({ id: last, ...request } satisfies HighlightRequest);
    });
};

let ask: Ask | undefined;

/** The lines in coloured pieces; no lines where the language is not known. Asked in order for each block. */
export const highlightLines = async (
  block: string,
  name: string,
  lines: readonly string[],
): Promise<readonly (readonly Token[])[]> => {
  const language = languageOf(name);
  if (language === undefined) return [];
  ask ??= start();
  return ask({ block, language, lines });
};
