import { type Clues, type Grammar, JSON_BODY } from './engine/grammar.ts';
import { callJson, eachCall, offerWith, type PromptWriter } from './engine/prompt.ts';

const ROLE = 'function call<|role_sep|>';

/** GigaChat 3 and 3.1. */
export const grammar: Grammar = {
  name: 'gigachat3',
  calls: [{ open: ['<|function_call|>', `<|message_sep|>\n\n${ROLE}`, ROLE], bodies: [JSON_BODY] }],
  frame: ['assistant<|role_sep|>', '<|message_sep|>\n\nassistant<|role_sep|>'],
  endTokens: ['<|message_sep|>'],
};

export const clues: Clues = {
  template: [
    ['<|role_sep|>', 'function call'],
    ['<|function_call|>', '<|role_sep|>'],
  ],
  model: ['gigachat'],
};

export const prompt = (): PromptWriter => ({
  offer: offerWith(
    'To call a tool, write <|function_call|>{"name": <name>, "arguments": <arguments as a JSON object>}',
  ),
  calls: eachCall((call) => `<|function_call|>${callJson(call)}`, ''),
  result: ({ content }) => content,
});
