import { type Format, JSON_BODY, THINK } from './engine/format.ts';
import { jsonPrompt, type PromptForm } from './engine/prompt.ts';

/** Any small model: a message that is nothing but JSON calls, fenced or not. */
export const plainJson: Format = {
  name: 'plain-json',
  reasoning: THINK,
  calls: [],
  bare: [JSON_BODY],
};

export const plainJsonPrompt = (): PromptForm => jsonPrompt('name', 'arguments');
