import { type Format, JSON_BODY, THINK } from './engine/format.ts';
import { arrayPrompt, type PromptForm } from './engine/prompt.ts';

/** xLAM 1 and 2: a bare array, sometimes with a marker of another family before it. */
export const xlam: Format = {
  name: 'xlam',
  reasoning: THINK,
  calls: [
    { open: ['<tool_call>'], close: ['</tool_call>'], bodies: [JSON_BODY] },
    { open: ['[TOOL_CALLS]'], bodies: [JSON_BODY] },
  ],
  bare: [JSON_BODY],
};

export const xlamPrompt = (): PromptForm => arrayPrompt('', '');
