import { type Clues, type Grammar, THINK } from './engine/grammar.ts';
import { type PromptWriter, PYTHON_PROMPT } from './engine/prompt.ts';

/** Llama 3.2, ToolACE and others: a message that is nothing but a Python list of calls. */
export const grammar: Grammar = {
  name: 'pythonic',
  reasoning: THINK,
  calls: [{ open: ['<|python_tag|>'], bodies: [{ kind: 'python' }] }],
  bare: [{ kind: 'python' }],
};

export const clues: Clues = { model: ['toolace', 'llama32'] };

export const prompt = (): PromptWriter => PYTHON_PROMPT;
