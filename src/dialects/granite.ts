import type { Format } from './engine/format.ts';
import { arrayPrompt } from './engine/prompt.ts';

/** Granite 3.0 to 3.2: an array behind a marker, and nothing that closes it. */
export const granite: Format = {
  name: 'granite',
  calls: [{ open: ['<|tool_call|>', '<tool_call>'], close: ['</tool_call>'], bodies: [{ kind: 'json' }] }],
  prompt: arrayPrompt('<|tool_call|>', ''),
};
