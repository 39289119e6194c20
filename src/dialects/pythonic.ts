import { type Format, THINK } from './engine/format.ts';
import { type PromptForm, PYTHON_PROMPT } from './engine/prompt.ts';

/** Llama 3.2, ToolACE and others: a message that is nothing but a Python list of calls. */
export const pythonic: Format = {
  name: 'pythonic',
  reasoning: THINK,
  calls: [{ open: ['<|python_tag|>'], bodies: [{ kind: 'python' }] }],
  bare: [{ kind: 'python' }],
};

export const pythonicPrompt = (): PromptForm => PYTHON_PROMPT;
