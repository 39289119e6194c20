import { type Format, JSON_BODY } from './engine/format.ts';
import { arrayPrompt, type PromptForm } from './engine/prompt.ts';

/** Phi-4-mini, FireFunction 2. */
export const functools: Format = {
  name: 'functools',
  calls: [{ open: ['functools['], bodies: [JSON_BODY] }],
};

export const functoolsPrompt = (): PromptForm => arrayPrompt('functools', '');
