import { type Clues, type Grammar, JSON_BODY } from './engine/grammar.ts';
import { arrayPrompt, type PromptWriter } from './engine/prompt.ts';

/** Phi-4-mini, FireFunction 2. */
export const grammar: Grammar = {
  name: 'functools',
  calls: [{ open: ['functools['], bodies: [JSON_BODY] }],
};

export const clues: Clues = {
  template: ['functools['],
  model: ['firefunction', ['llama3', 'firefunction'], 'phi4mini'],
};

export const prompt = (): PromptWriter => arrayPrompt('functools', '');
