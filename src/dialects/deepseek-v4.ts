import { DSML_CALLS, dsmlPrompt } from './deepseek-v3.2.ts';
import { type Format, THINK } from './engine/format.ts';

/** V4, V4-Flash and V4.1. */
export const deepseekV4: Format = {
  name: 'deepseek-v4',
  reasoning: THINK,
  calls: DSML_CALLS,
  prompt: dsmlPrompt('tool_calls'),
};
