import { INVOKE_TAGS, QWEN_TAGS } from './engine/call-tags.ts';
import { type Clues, type Grammar, JSON_BODY } from './engine/grammar.ts';
import { arrayPrompt, type PromptWriter } from './engine/prompt.ts';

/** Apriel 1.5 and 1.6; 1.6 reasons until it says that it answers. */
export const grammar: Grammar = {
  name: 'apriel',
  reasoning: [{ open: 'Here are my reasoning steps:', close: ['[BEGIN FINAL RESPONSE]'], keepOpen: true }],
  frame: ['[BEGIN FINAL RESPONSE]', '[END FINAL RESPONSE]'],
  calls: [{ open: ['<tool_calls>'], close: ['</tool_calls>'], bodies: [JSON_BODY, QWEN_TAGS, INVOKE_TAGS] }],
};

export const clues: Clues = {
  template: ['[BEGIN FINAL RESPONSE]', ['<tool_calls>', '<|available_tools|>']],
  model: ['apriel'],
};

export const prompt = (): PromptWriter => ({
  ...arrayPrompt('<tool_calls>', '</tool_calls>'),
  result: ({ content }) => `<tool_result>${content}</tool_result>`,
});
