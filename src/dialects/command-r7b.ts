import { type Clues, type Grammar, JSON_BODY } from './engine/grammar.ts';
import { offerWith, type PromptCall, type PromptWriter, spacedJson } from './engine/prompt.ts';

const callText = ({ id, name, arguments: args }: PromptCall, index: number): string =>
  `    ${spacedJson({ tool_call_id: id ?? String(index), tool_name: name, parameters: args })}`;

/** Command R7B, Command A, North. */
export const grammar: Grammar = {
  name: 'command-r7b',
  reasoning: [{ open: '<|START_THINKING|>', close: ['<|END_THINKING|>'] }],
  frame: [
    '<|START_RESPONSE|>',
    '<|END_RESPONSE|>',
    '<|START_TEXT|>',
    '<|END_TEXT|>',
    '<|START_OF_TURN_TOKEN|>',
    '<|CHATBOT_TOKEN|>',
  ],
  calls: [{ open: ['<|START_ACTION|>'], close: ['<|END_ACTION|>'], bodies: [JSON_BODY] }],
};

export const clues: Clues = {
  template: ['<|START_ACTION|>'],
  model: ['commandr7b', 'commanda', 'c4ai', ['c4ai', 'commandr7b']],
};

export const prompt = (): PromptWriter => ({
  offer: offerWith(
    'Write calls as a JSON array:\n<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": <name>, "parameters": <arguments as a JSON object>}\n]<|END_ACTION|>',
  ),
  calls: (calls) => `<|START_ACTION|>[\n${calls.map(callText).join(',\n')}\n]<|END_ACTION|>`,
  result: ({ id, content }) =>
    `<|START_TOOL_RESULT|>[\n${spacedJson({ tool_call_id: id ?? '0', results: { 0: content }, is_error: null })}\n]<|END_TOOL_RESULT|>`,
});
