import { type Format, JSON_BODY, THINK } from './engine/format.ts';
import { HERMES_PROMPT, type PromptForm } from './engine/prompt.ts';
import { QWEN_TAGS } from './qwen3-coder.ts';

/** Hermes 2 and 3, Qwen 2.5 and 3, QwQ, Granite 4, SmolLM3 and many more. */
export const hermes: Format = {
  name: 'hermes',
  reasoning: THINK,
  calls: [
    { open: ['<tool_call>'], close: ['</tool_call>'], bodies: [JSON_BODY, QWEN_TAGS] },
    { open: ['<function='], close: ['</tool_call>'], bodies: [QWEN_TAGS], offeredOnly: true },
  ],
};

export const hermesPrompt = (): PromptForm => HERMES_PROMPT;
