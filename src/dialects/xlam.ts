import { type Clues, type Grammar, JSON_BODY, THINK } from './engine/grammar.ts';
import { arrayPrompt, type PromptWriter } from './engine/prompt.ts';

/** xLAM 1 and 2: a bare array, sometimes with a marker of another dialect before it. */
export const grammar: Grammar = {
  name: 'xlam',
  reasoning: THINK,
  calls: [
    { open: ['<tool_call>'], close: ['</tool_call>'], bodies: [JSON_BODY] },
    { open: ['[TOOL_CALLS]'], bodies: [JSON_BODY] },
  ],
  bare: [JSON_BODY],
};

export const clues: Clues = { model: ['xlam'] };

export const prompt = (): PromptWriter => arrayPrompt('', '');
