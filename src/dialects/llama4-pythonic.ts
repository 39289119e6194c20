import { type Format, JSON_BODY } from './engine/format.ts';
import { type PromptForm, PYTHON_PROMPT, pythonCallText } from './engine/prompt.ts';

/** Llama 4: a Python list of calls between tokens. */
export const llama4Pythonic: Format = {
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

export const llama4PythonicPrompt = (): PromptForm => ({
  ...PYTHON_PROMPT,
  calls: (calls) => `<|python_start|>[${calls.map(pythonCallText).join(', ')}]<|python_end|>`,
});
