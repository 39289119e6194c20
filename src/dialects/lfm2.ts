import { type Clues, type Grammar, JSON_BODY, THINK } from './engine/grammar.ts';
import { type PromptWriter, PYTHON_PROMPT, pythonCallText } from './engine/prompt.ts';

/** LFM2 and LFM2.5: a Python list or a JSON array between tokens, which are sometimes missing. */
export const grammar: Grammar = {
  name: 'lfm2',
  reasoning: THINK,
  calls: [
    {
      open: ['<|tool_call_start|>'],
      close: ['<|tool_call_end|>'],
      bodies: [JSON_BODY, { kind: 'python' }],
      many: true,
    },
  ],
  bare: [{ kind: 'python' }, JSON_BODY],
};

export const clues: Clues = { template: ['<|tool_call_start|>', '<|tool_list_start|>'], model: ['lfm2'] };

export const prompt = (): PromptWriter => ({
  ...PYTHON_PROMPT,
  calls: (calls) => `<|tool_call_start|>[${calls.map(pythonCallText).join(', ')}]<|tool_call_end|>`,
  result: ({ content }) => `<|tool_response_start|>${content}<|tool_response_end|>`,
});
