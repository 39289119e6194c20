import type { Format } from './engine/format.ts';
import { arrayPrompt, type PromptForm } from './engine/prompt.ts';

/** Phi-4-mini, FireFunction 2. */
export const functools: Format = {
  name: 'functools',
  calls: [{ open: ['functools['], bodies: [{ kind: 'json' }] }],
};

export const functoolsPrompt = (): PromptForm => arrayPrompt('functools', '');
