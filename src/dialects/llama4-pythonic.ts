import { type Clues, type Grammar, JSON_BODY } from './engine/grammar.ts';
import { type PromptWriter, PYTHON_PROMPT, pythonCallText } from './engine/prompt.ts';

/** Llama 4: a Python list of calls between tokens. */
export const grammar: Grammar = {
  name: 'llama4-pythonic',
  calls: [
    {
      open: ['<|python_start|>'],
      close: ['<|python_end|>'],
      bodies: [{ kind: 'python' }, JSON_BODY],
      many: true,
    },
  ],
  bare: [{ kind: 'python' }],
};

export const clues: Clues = { template: ['<|python_start|>'], model: ['llama4'] };

export const prompt = (): PromptWriter => ({
  ...PYTHON_PROMPT,
  calls: (calls) => `<|python_start|>[${calls.map(pythonCallText).join(', ')}]<|python_end|>`,
});
