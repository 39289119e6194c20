import { type Format, JSON_BODY } from './engine/format.ts';
import { arrayPrompt, type PromptForm } from './engine/prompt.ts';

/** Apriel 1.5 and 1.6; 1.6 reasons until it says that it answers. */
export const apriel: Format = {
  name: 'apriel',
  reasoning: [{ open: 'Here are my reasoning steps:', close: ['[BEGIN FINAL RESPONSE]'], keepOpen: true }],
  frame: ['[BEGIN FINAL RESPONSE]', '[END FINAL RESPONSE]'],
  calls: [{ open: ['<tool_calls>'], close: ['</tool_calls>'], bodies: [JSON_BODY] }],
};

export const aprielPrompt = (): PromptForm => ({
  ...arrayPrompt('<tool_calls>', '</tool_calls>'),
  result: ({ content }) => `<tool_result>${content}</tool_result>`,
});
