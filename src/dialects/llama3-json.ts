import { type Format, JSON_BODY } from './engine/format.ts';
import { jsonPrompt, type PromptForm } from './engine/prompt.ts';

/** Llama 3.1 to 3.3 and 4: a bare object, or one behind `<|python_tag|>`, which also introduces code. */
export const llama3Json: Format = {
  name: 'llama3-json',
  calls: [{ open: ['<|python_tag|>'], bodies: [JSON_BODY, { kind: 'code' }] }],
  bare: [JSON_BODY],
};

export const llama3JsonPrompt = (): PromptForm => ({
  ...jsonPrompt('name', 'parameters'),
  result: ({ content }) => JSON.stringify(content),
});
