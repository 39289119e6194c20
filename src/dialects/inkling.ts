import { type ChannelMeaning, type Format, JSON_BODY } from './engine/format.ts';
import { offerWith, type PromptCall, type PromptForm } from './engine/prompt.ts';

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
export const inkling: Format = {
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

export const inklingPrompt = (): PromptForm => ({
  offer: offerWith(
    `Write each call as a message: NAME${CALL}{"name":"NAME","args":<arguments as a JSON object>}<|end_message|>`,
  ),
  calls: (calls) => calls.map(callText).join('<|message_model|>'),
  result: ({ content }) => content,
});
