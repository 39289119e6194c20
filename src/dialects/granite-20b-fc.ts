import { type Format, JSON_BODY } from './engine/format.ts';
import { callJson, eachCall, offerWith, type PromptForm } from './engine/prompt.ts';

/** granite-20b-functioncalling. */
export const granite20bFc: Format = {
  name: 'granite-20b-fc',
  calls: [{ open: ['<function_call>'], close: ['</function_call>'], bodies: [JSON_BODY] }],
};

export const granite20bFcPrompt = (): PromptForm => ({
  offer: offerWith('Write each call as <function_call> {"name": <name>, "arguments": <arguments as a JSON object>}'),
  calls: eachCall((call) => `<function_call> ${callJson(call)}`, ' '),
  result: ({ content }) => content,
});
