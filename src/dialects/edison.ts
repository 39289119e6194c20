import { type Format, JSON_BODY, THINK } from './engine/format.ts';
import { jsonPrompt, type PromptForm } from './engine/prompt.ts';

/** Edison's `{tool, args}`. */
export const edison: Format = {
  name: 'edison',
  reasoning: THINK,
  calls: [],
  bare: [JSON_BODY],
};

export const edisonPrompt = (): PromptForm => jsonPrompt('tool', 'args');
