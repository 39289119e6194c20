/** What is said of the engine that runs a model: its adapters, and how it guesses ahead. */
import { failure, type Outcome, succeed } from './outcome.ts';

/**
 * Whether the embedded engine guesses tokens ahead and has the model check several at a time. `lookup`: what stood behind
 * the same words in the prompt. `off` is the default: `npm run bench:speculation` says what it is worth.
 */
export const SPECULATIONS = ['off', 'lookup'] as const;
export type Speculation = (typeof SPECULATIONS)[number];

/** A LoRA adapter, and how much of it counts. */
export type LoraAdapter = { file: string; scale: number };

const SCALED = /^(.*):([^:/\\]*)$/;
const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)$/;

/** `FILE` or `FILE:SCALE`. */
export const readAdapter = (text: string): Outcome<LoraAdapter> => {
  const [, file = text, scale] = (text.endsWith('.gguf') ? undefined : SCALED.exec(text)) ?? [];
  if (file.trim() === '') return failure('validation_failed', 'An adapter is named by its file: FILE or FILE:SCALE.');
  if (scale === undefined) return succeed({ file, scale: 1 });
  return NUMBER.test(scale)
    ? succeed({ file, scale: Number(scale) })
    : failure(
        'validation_failed',
        `The scale of the adapter ${file} must be a number such as 0.5, not ${JSON.stringify(scale)}.`,
      );
};

export const readAdapters = (texts: readonly string[]): Outcome<LoraAdapter[]> => {
  const adapters: LoraAdapter[] = [];
  for (const text of texts) {
    const read = readAdapter(text);
    if (!read.ok) return read;
    adapters.push(read.value);
  }
  return succeed(adapters);
};
