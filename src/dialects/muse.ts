import { entryText } from '../core/written-numbers.ts';
import { type ChannelMeaning, type Clues, type Grammar, JSON_BODY } from './engine/grammar.ts';
import { offerWith, type PromptCall, type PromptWriter, rawText } from './engine/prompt.ts';

const read = (header: string): ChannelMeaning => {
  const [, addressed] = header.split('to=');
  const recipient = addressed?.split('<')[0]?.trim();
  if (recipient === undefined || recipient === 'user') return { to: 'text' };
  return recipient === 'self' ? { to: 'reasoning' } : { to: 'tool', name: recipient };
};

const parameters = ({ arguments: args }: PromptCall): string =>
  Object.keys(args)
    .map((key) => `<atem:parameter name="${key}">${entryText(args, key, rawText)}</atem:parameter>\n`)
    .join('');

const callText = (call: PromptCall): string =>
  ` to=${call.name}<|message|><atem:function_calls>\n<atem:invoke name="${call.name}">\n${parameters(call)}</atem:invoke>\n</atem:function_calls><|eom|>`;

/** Muse Spark and Glimmer: the recipient decides, so markup quoted in an answer is text. */
export const grammar: Grammar = {
  name: 'muse',
  calls: [],
  channels: [
    {
      open: ['<|start|>'],
      startsWith: ['to='],
      headerEnd: ['<|message|>'],
      close: ['<|eom|>', '<|eot|>'],
      read,
      callOpen: ['<atem:function_calls>'],
      callClose: ['</atem:function_calls>'],
      bodies: [
        {
          kind: 'tags',
          open: ['<atem:invoke '],
          close: ['</atem:invoke>'],
          parameter: ['<atem:parameter '],
          parameterClose: ['</atem:parameter>'],
        },
        JSON_BODY,
      ],
    },
  ],
};

export const clues: Clues = { template: ['<atem:function_calls>'], model: ['muse'] };

export const prompt = (): PromptWriter => ({
  offer: offerWith(
    'Write each call as a message to the tool:\n to=NAME<|message|><atem:function_calls>\n<atem:invoke name="NAME">\n<atem:parameter name="parameter">value</atem:parameter>\n</atem:invoke>\n</atem:function_calls><|eom|>',
  ),
  calls: (calls) => calls.map(callText).join('<|start|>assistant'),
  result: ({ name, content }) => `<tool_output name="${name}">\n${content}\n</tool_output>`,
});
