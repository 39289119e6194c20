/**
 * Colours for code, in a thread of its own: to read a language's grammar for the first time takes longer than a page may
 * stand still.
 */
import { colouredLines, type HighlightRequest, type Token } from './coloured-lines.ts';

export type { HighlightRequest, Token } from './coloured-lines.ts';
export type HighlightAnswer = { id: number; lines: readonly (readonly Token[])[] };

/** One after the other: the lines of a block build on each other. */
let queue: Promise<void> = Promise.resolve();
self.addEventListener('message', ({ data }: MessageEvent<HighlightRequest>) => {
  queue = queue.then(async () => {
    const lines = await colouredLines(data).catch(() => []);
    self.postMessage({ id: data.id, lines } satisfies HighlightAnswer);
  });
});
