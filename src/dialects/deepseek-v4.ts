import { DSML_CALLS, dsmlPrompt } from './deepseek-v3.2.ts';
import { type Clues, type Grammar, THINK } from './engine/grammar.ts';
import type { PromptWriter } from './engine/prompt.ts';

/** V4, V4-Flash and V4.1. */
export const grammar: Grammar = {
  name: 'deepseek-v4',
  reasoning: THINK,
  calls: DSML_CALLS,
};

export const clues: Clues = { template: ['｜DSML｜'], model: ['deepseekv4'] };

export const prompt = (): PromptWriter => dsmlPrompt('tool_calls');
