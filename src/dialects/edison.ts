import { type Format, THINK } from './engine/format.ts';
import { jsonPrompt } from './engine/prompt.ts';

/** Edison's `{tool, args}`. */
export const edison: Format = {
  name: 'edison',
  reasoning: THINK,
  calls: [],
  bare: [{ kind: 'json' }],
  prompt: jsonPrompt('tool', 'args'),
};
