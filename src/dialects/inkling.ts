import { type ChannelMeaning, type Clues, type Grammar, JSON_BODY } from './engine/grammar.ts';
import { offerWith, type PromptCall, type PromptWriter } from './engine/prompt.ts';

const TEXT = '<|content_text|>';
const THINKING = '<|content_thinking|>';
const CALL = '<|content_invoke_tool_json|>';

/** A name may stand before the marker; what the message is, the marker says. */
const read = (header: string): ChannelMeaning => {
  if (header.endsWith(CALL)) return { to: 'tool', name: header.slice(0, -CALL.length) };
  return { to: header.endsWith(THINKING) ? 'reasoning' : 'text' };
};

const callText = ({ name, arguments: args }: PromptCall): string =>
  `${name}${CALL}${JSON.stringify({ name, args })}<|end_message|>`;

/** Inkling. */
export const grammar: Grammar = {
  name: 'inkling',
  calls: [],
  channels: [
    {
      open: ['<|message_model|>', TEXT, THINKING, CALL],
      startsWithName: true,
      headerEnd: [TEXT, THINKING, CALL],
      close: ['<|end_message|>'],
      read,
      bodies: [JSON_BODY],
    },
  ],
};

export const clues: Clues = {
  template: ['<|content_invoke_tool_json|>'],
  model: ['inkling'],
  opensReasoning: [THINKING],
};

export const prompt = (): PromptWriter => ({
  offer: offerWith(
    `Write each call as a message: NAME${CALL}{"name":"NAME","args":<arguments as a JSON object>}<|end_message|>`,
  ),
  calls: (calls) => calls.map(callText).join('<|message_model|>'),
  result: ({ content }) => content,
});
