import type { Clues, Grammar } from './engine/grammar.ts';
import { offerWith, type PromptCall, type PromptWriter, spacedJson } from './engine/prompt.ts';

const NAME = '<|tool_call:name|>';
const ARGUMENTS = '<|tool_call:args|>';

/** `ID<|tool_call:name|>N<|tool_call:args|>`; the id may be missing. */
const head = (text: string): { name: string; id?: string } => {
  const [first = '', rest] = (text.split(ARGUMENTS)[0] ?? '').split(NAME);
  return rest === undefined ? { name: first.trim() } : { name: rest.trim(), id: first.trim() };
};

const callText = ({ id, name, arguments: args }: PromptCall): string =>
  `<|tool_call:begin|>${id ?? ''}${NAME}${name}${ARGUMENTS}${spacedJson(args)}<|tool_call:end|>`;

/** Solar Open 100B. */
export const grammar: Grammar = {
  name: 'solar-open',
  reasoning: [{ open: '<|think|>', close: ['<|end|>'] }],
  frame: ['<|content|>', '<|begin|>assistant', '<|end|>', '<|flush|>'],
  calls: [
    {
      open: ['<|tool_calls|>', '<|tool_call:begin|>'],
      close: ['<|tool_call:end|>', '<|calls|>'],
      skip: [NAME],
      bodies: [{ kind: 'named', head }],
      many: true,
    },
  ],
};

export const clues: Clues = { template: ['<|tool_call:begin|>'], model: ['solaropen'] };

export const prompt = (): PromptWriter => ({
  offer: offerWith(
    `Write calls as <|tool_calls|><|tool_call:begin|>ID${NAME}NAME${ARGUMENTS}<arguments as a JSON object><|tool_call:end|><|calls|>`,
  ),
  calls: (calls) => `<|tool_calls|>${calls.map(callText).join('')}<|calls|>`,
  result: ({ id, name, content }) =>
    `<|tool_response|><|tool_response:begin|>${id ?? ''}<|tool_response:name|>${name}<|tool_response:result|>${content}<|tool_response:end|>`,
});
