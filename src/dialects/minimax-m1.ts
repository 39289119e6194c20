import { type Format, JSON_BODY, THINK } from './engine/format.ts';
import { callJson, eachCall, offerWith, type PromptForm } from './engine/prompt.ts';

/** MiniMax M1: one call object a line. */
export const minimaxM1: Format = {
  name: 'minimax-m1',
  reasoning: THINK,
  calls: [{ open: ['<tool_calls>'], close: ['</tool_calls>'], bodies: [JSON_BODY], many: true }],
  endTokens: ['<end_of_sentence>'],
};

export const minimaxM1Prompt = (): PromptForm => ({
  offer: offerWith(
    'Write calls as JSON objects, one a line, inside <tool_calls></tool_calls>:\n<tool_calls>\n{"name": <name>, "arguments": <arguments as a JSON object>}\n</tool_calls>',
  ),
  calls: (calls) => `<tool_calls>\n${eachCall(callJson)(calls)}\n</tool_calls>`,
  result: ({ content }) => `tool result: ${content}`,
});
