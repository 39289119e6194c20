import { type Format, JSON_BODY, THINK } from './engine/format.ts';
import { type PromptForm, PYTHON_PROMPT, pythonCallText } from './engine/prompt.ts';

/** LFM2 and LFM2.5: a Python list or a JSON array between tokens, which are sometimes missing. */
export const lfm2: Format = {
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

export const lfm2Prompt = (): PromptForm => ({
  ...PYTHON_PROMPT,
  calls: (calls) => `<|tool_call_start|>[${calls.map(pythonCallText).join(', ')}]<|tool_call_end|>`,
  result: ({ content }) => `<|tool_response_start|>${content}<|tool_response_end|>`,
});
