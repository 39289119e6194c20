import { type Format, JSON_BODY } from './engine/format.ts';
import { arrayPrompt, type PromptForm } from './engine/prompt.ts';

/** Granite 3.0 to 3.2: an array behind a marker, and nothing that closes it. */
export const granite: Format = {
  name: 'granite',
  calls: [{ open: ['<|tool_call|>', '<tool_call>'], close: ['</tool_call>'], bodies: [JSON_BODY] }],
};

export const granitePrompt = (): PromptForm => arrayPrompt('<|tool_call|>', '');
