import { type Format, JSON_BODY } from './engine/format.ts';
import { arrayPrompt, type PromptForm } from './engine/prompt.ts';

/** Jamba 1.5 and later. */
export const jamba: Format = {
  name: 'jamba',
  calls: [{ open: ['<tool_calls>'], close: ['</tool_calls>'], bodies: [JSON_BODY] }],
};

export const jambaPrompt = (): PromptForm => arrayPrompt('<tool_calls>', '</tool_calls>');
