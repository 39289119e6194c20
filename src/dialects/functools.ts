import type { Format } from './engine/format.ts';
import { arrayPrompt } from './engine/prompt.ts';

/** Phi-4-mini, FireFunction 2. */
export const functools: Format = {
  name: 'functools',
  calls: [{ open: ['functools['], bodies: [{ kind: 'json' }] }],
  prompt: arrayPrompt('functools', ''),
};
