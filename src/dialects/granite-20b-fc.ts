import { INVOKE_TAGS, QWEN_TAGS } from './engine/call-tags.ts';
import { type Clues, type Grammar, JSON_BODY } from './engine/grammar.ts';
import { callJson, eachCall, offerWith, type PromptWriter } from './engine/prompt.ts';

/** granite-20b-functioncalling. */
export const grammar: Grammar = {
  name: 'granite-20b-fc',
  calls: [{ open: ['<function_call>'], close: ['</function_call>'], bodies: [JSON_BODY, QWEN_TAGS, INVOKE_TAGS] }],
};

export const clues: Clues = { template: ['<function_call>'], model: ['granite20b'] };

export const prompt = (): PromptWriter => ({
  offer: offerWith('Write each call as <function_call> {"name": <name>, "arguments": <arguments as a JSON object>}'),
  calls: eachCall((call) => `<function_call> ${callJson(call)}`, ' '),
  result: ({ content }) => content,
});
