import type { Clues, Grammar } from './engine/grammar.ts';
import { offerWith, type PromptCall, type PromptWriter, spacedJson } from './engine/prompt.ts';

const mark = (words: string): string => `<|plamo:${words}:plamo|>`;

const head = (text: string): { name: string } | undefined => {
  const [name = '', rest] = text.split(mark('end_tool_name'));
  return rest === undefined ? undefined : { name: name.trim() };
};

const callText = ({ name, arguments: args }: PromptCall): string =>
  `${mark('begin_tool_request')}${mark('begin_tool_name')}${name}${mark('end_tool_name')}${mark('begin_tool_arguments')}<|plamo:constrain|>json<|plamo:msg|>${spacedJson(args)}${mark('end_tool_arguments')}${mark('end_tool_request')}`;

/** PLaMo 3. */
export const grammar: Grammar = {
  name: 'plamo3',
  reasoning: [{ open: mark('begin_think'), close: [mark('end_think')] }],
  calls: [
    {
      open: [mark('begin_tool_requests'), mark('begin_tool_request')],
      close: [mark('end_tool_arguments'), mark('end_tool_request'), mark('end_tool_requests')],
      skip: [mark('begin_tool_name')],
      bodies: [{ kind: 'named', head }],
    },
  ],
  endTokens: ['<|plamo:op|>', '<|plamo:eos|>'],
};

export const clues: Clues = { template: ['<|plamo:begin_tool_request'], model: ['plamo3'] };

export const prompt = (): PromptWriter => ({
  offer: offerWith(`Write calls like this:\n${callText({ name: 'NAME', arguments: {} })}`),
  calls: (calls) => `${mark('begin_tool_requests')}${calls.map(callText).join('')}${mark('end_tool_requests')}`,
  result: ({ content }) => content,
});
