import { INVOKE_TAGS, QWEN_TAGS } from './engine/call-tags.ts';
import { type Clues, type Grammar, JSON_BODY } from './engine/grammar.ts';
import { arrayPrompt, type PromptWriter } from './engine/prompt.ts';

/** Jamba 1.5 and later. */
export const grammar: Grammar = {
  name: 'jamba',
  calls: [{ open: ['<tool_calls>'], close: ['</tool_calls>'], bodies: [JSON_BODY, QWEN_TAGS, INVOKE_TAGS] }],
};

export const clues: Clues = { template: ['<tool_calls>'], model: ['jamba'] };

export const prompt = (): PromptWriter => arrayPrompt('<tool_calls>', '</tool_calls>');
