import { type Format, THINK } from './engine/format.ts';
import { eachCall, type PromptForm, PYTHON_PROMPT, pythonCallText } from './engine/prompt.ts';

/** OLMo 3: one Python call a line. */
export const olmo3: Format = {
  name: 'olmo3',
  reasoning: THINK,
  calls: [{ open: ['<function_calls>'], close: ['</function_calls>'], bodies: [{ kind: 'python' }], many: true }],
};

export const olmo3Prompt = (): PromptForm => ({
  ...PYTHON_PROMPT,
  calls: (calls) => `<function_calls>\n${eachCall(pythonCallText)(calls)}\n</function_calls>`,
});
