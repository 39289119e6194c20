import { type Format, THINK } from './engine/format.ts';
import { arrayPrompt, type PromptForm } from './engine/prompt.ts';

/** xLAM 1 and 2: a bare array, sometimes with a marker of another family before it. */
export const xlam: Format = {
  name: 'xlam',
  reasoning: THINK,
  calls: [
    { open: ['<tool_call>'], close: ['</tool_call>'], bodies: [{ kind: 'json' }] },
    { open: ['[TOOL_CALLS]'], bodies: [{ kind: 'json' }] },
  ],
  bare: [{ kind: 'json' }],
};

export const xlamPrompt = (): PromptForm => arrayPrompt('', '');
