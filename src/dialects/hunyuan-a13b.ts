import { type Format, JSON_BODY, THINK } from './engine/format.ts';
import { arrayPrompt, type PromptForm } from './engine/prompt.ts';

/** Hunyuan A13B. */
export const hunyuanA13b: Format = {
  name: 'hunyuan-a13b',
  reasoning: THINK,
  frame: ['<answer>', '</answer>'],
  calls: [{ open: ['<tool_calls>'], close: ['</tool_calls>', '</answer>'], bodies: [JSON_BODY] }],
  endTokens: ['<|eos|>'],
};

export const hunyuanA13bPrompt = (): PromptForm => arrayPrompt('<tool_calls>', '</tool_calls>');
