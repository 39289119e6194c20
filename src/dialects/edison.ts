import { type Format, THINK } from './engine/format.ts';
import { jsonPrompt, type PromptForm } from './engine/prompt.ts';

/** Edison's `{tool, args}`. */
export const edison: Format = {
  name: 'edison',
  reasoning: THINK,
  calls: [],
  bare: [{ kind: 'json' }],
};

export const edisonPrompt = (): PromptForm => jsonPrompt('tool', 'args');
