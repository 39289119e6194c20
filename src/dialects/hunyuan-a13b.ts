import { INVOKE_TAGS, QWEN_TAGS } from './engine/call-tags.ts';
import { type Clues, type Grammar, JSON_BODY, THINK } from './engine/grammar.ts';
import { arrayPrompt, type PromptWriter } from './engine/prompt.ts';

/** Hunyuan A13B. */
export const grammar: Grammar = {
  name: 'hunyuan-a13b',
  reasoning: THINK,
  frame: ['<answer>', '</answer>'],
  calls: [
    { open: ['<tool_calls>'], close: ['</tool_calls>', '</answer>'], bodies: [JSON_BODY, QWEN_TAGS, INVOKE_TAGS] },
  ],
  endTokens: ['<|eos|>'],
};

export const clues: Clues = { template: [['<tool_calls>', '<answer>']], model: ['hunyuan'] };

export const prompt = (): PromptWriter => arrayPrompt('<tool_calls>', '</tool_calls>');
