import { INVOKE_TAGS, QWEN_TAGS } from './engine/call-tags.ts';
import { type Clues, type Grammar, JSON_BODY, THINK } from './engine/grammar.ts';
import { callJson, eachCall, offerWith, type PromptWriter } from './engine/prompt.ts';

/** MiniMax M1: one call object a line. */
export const grammar: Grammar = {
  name: 'minimax-m1',
  reasoning: THINK,
  calls: [
    { open: ['<tool_calls>'], close: ['</tool_calls>'], bodies: [JSON_BODY, QWEN_TAGS, INVOKE_TAGS], many: true },
  ],
  endTokens: ['<end_of_sentence>'],
};

export const clues: Clues = { template: [['<tool_calls>', 'tool result:']], model: ['minimax'] };

export const prompt = (): PromptWriter => ({
  offer: offerWith(
    'Write calls as JSON objects, one a line, inside <tool_calls></tool_calls>:\n<tool_calls>\n{"name": <name>, "arguments": <arguments as a JSON object>}\n</tool_calls>',
  ),
  calls: (calls) => `<tool_calls>\n${eachCall(callJson)(calls)}\n</tool_calls>`,
  result: ({ content }) => `tool result: ${content}`,
});
