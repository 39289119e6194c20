import { type Clues, type Grammar, JSON_BODY, THINK } from './engine/grammar.ts';
import { jsonPrompt, type PromptWriter } from './engine/prompt.ts';

/** Any small model: a message that is nothing but JSON calls, fenced or not. */
export const grammar: Grammar = {
  name: 'plain-json',
  reasoning: THINK,
  calls: [],
  bare: [JSON_BODY],
};

export const clues: Clues = { model: ['qwen25coder'] };

export const prompt = (): PromptWriter => jsonPrompt('name', 'arguments');
