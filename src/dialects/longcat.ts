import { INVOKE_TAGS, QWEN_TAGS } from './engine/call-tags.ts';
import { type Clues, type Grammar, JSON_BODY } from './engine/grammar.ts';
import { callJson, eachCall, offerWith, type PromptWriter } from './engine/prompt.ts';

/** LongCat-Flash. */
export const grammar: Grammar = {
  name: 'longcat',
  reasoning: [{ open: '<longcat_think>', close: ['</longcat_think>'] }],
  calls: [
    { open: ['<longcat_tool_call>'], close: ['</longcat_tool_call>'], bodies: [JSON_BODY, QWEN_TAGS, INVOKE_TAGS] },
  ],
  endTokens: ['</longcat_s>'],
};

export const clues: Clues = { template: ['<longcat_tool_call>'], model: ['longcat'] };

export const prompt = (): PromptWriter => ({
  offer: offerWith(
    'Write each call as <longcat_tool_call>{"name": <name>, "arguments": <arguments as a JSON object>}</longcat_tool_call>',
  ),
  calls: eachCall((call) => `<longcat_tool_call>${callJson(call)}</longcat_tool_call>`),
  result: ({ content }) => `<longcat_tool_response>${content}</longcat_tool_response>`,
});
