import { type Format, THINK } from './engine/format.ts';
import { jsonPrompt, type PromptForm } from './engine/prompt.ts';

/** Any small model: a message that is nothing but JSON calls, fenced or not. */
export const plainJson: Format = {
  name: 'plain-json',
  reasoning: THINK,
  calls: [],
  bare: [{ kind: 'json' }],
};

export const plainJsonPrompt = (): PromptForm => jsonPrompt('name', 'arguments');
