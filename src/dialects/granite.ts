import type { Format } from './engine/format.ts';
import { arrayPrompt, type PromptForm } from './engine/prompt.ts';

/** Granite 3.0 to 3.2: an array behind a marker, and nothing that closes it. */
export const granite: Format = {
  name: 'granite',
  calls: [{ open: ['<|tool_call|>', '<tool_call>'], close: ['</tool_call>'], bodies: [{ kind: 'json' }] }],
};

export const granitePrompt = (): PromptForm => arrayPrompt('<|tool_call|>', '');
