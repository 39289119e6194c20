import { INVOKE_TAGS, QWEN_TAGS } from './engine/call-tags.ts';
import { type Clues, type Grammar, JSON_BODY, THINK } from './engine/grammar.ts';
import { HERMES_PROMPT, type PromptWriter } from './engine/prompt.ts';

/** Hermes 2 and 3, Qwen 2.5 and 3, QwQ, Granite 4, SmolLM3 and many more. */
export const grammar: Grammar = {
  name: 'hermes',
  reasoning: THINK,
  calls: [
    { open: ['<tool_call>'], close: ['</tool_call>'], bodies: [JSON_BODY, QWEN_TAGS, INVOKE_TAGS] },
    { open: QWEN_TAGS.open, close: ['</tool_call>'], bodies: [QWEN_TAGS], offeredOnly: true },
  ],
};

export const clues: Clues = {
  template: ['<tool_call>'],
  model: ['hermes', 'qwen', 'qwq', 'qwen38b', 'granite4', 'smollm3', 'bielik', 'reka', 'exaone', ['deepseek', 'qwen']],
};

export const prompt = (): PromptWriter => HERMES_PROMPT;
