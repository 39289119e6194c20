import { type Grammar, JSON_BODY, THINK } from './engine/grammar.ts';
import { jsonPrompt, type PromptWriter } from './engine/prompt.ts';

/** Edison's `{tool, args}`. */
export const grammar: Grammar = {
  name: 'edison',
  reasoning: THINK,
  calls: [],
  bare: [JSON_BODY],
};

export const prompt = (): PromptWriter => jsonPrompt('tool', 'args', 'one');
