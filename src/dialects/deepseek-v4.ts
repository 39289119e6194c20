import { DSML_CALLS, dsmlPrompt } from './deepseek-v3.2.ts';
import { type Format, THINK } from './engine/format.ts';
import type { PromptForm } from './engine/prompt.ts';

/** V4, V4-Flash and V4.1. */
export const deepseekV4: Format = {
  name: 'deepseek-v4',
  reasoning: THINK,
  calls: DSML_CALLS,
};

export const deepseekV4Prompt = (): PromptForm => dsmlPrompt('tool_calls');
