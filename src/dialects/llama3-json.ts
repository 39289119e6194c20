import { type Clues, type Grammar, JSON_BODY } from './engine/grammar.ts';
import { jsonPrompt, type PromptWriter } from './engine/prompt.ts';

/** Llama 3.1 to 3.3 and 4: a bare object, or one behind `<|python_tag|>`, which also introduces code. */
export const grammar: Grammar = {
  name: 'llama3-json',
  calls: [{ open: ['<|python_tag|>'], bodies: [JSON_BODY, { kind: 'code' }] }],
  bare: [JSON_BODY],
};

export const clues: Clues = { template: ['<|python_tag|>', ['"parameters":', '<|eot_id|>']], model: ['llama3'] };

export const prompt = (): PromptWriter => ({
  ...jsonPrompt('name', 'parameters'),
  result: ({ content }) => JSON.stringify(content),
});
