/**
 * What the person said, without what their client put beside it: reminders, the folder, the date. A model that is led in
 * steps goes by the words of the last request, so nothing else may stand there.
 */
import { type ContentPart, type ModelMessage, messageText } from '../core/message.ts';

/** Blocks that clients put into a person's message, or send as one of their own. */
const BLOCK =
  /<(system-reminder|environment_context|environment_details|user_instructions|user_info|context|ide_[a-z_]+)>[\s\S]*?<\/\1>/g;

const spoken = (text: string): string => text.replace(BLOCK, '').trim();

const withoutBlocks = (content: string | ContentPart[]): string | ContentPart[] =>
  typeof content === 'string'
    ? spoken(content)
    : content.flatMap((part): ContentPart[] => {
        if (part.type !== 'text') return [part];
        const text = spoken(part.text);
        return text === '' ? [] : [{ type: 'text', text }];
      });

/** Messages of which nothing is left are left out; where nothing at all is left, everything stays. */
export const spokenMessages = (messages: readonly ModelMessage[]): readonly ModelMessage[] => {
  const rest = messages.flatMap((message): ModelMessage[] => {
    if (message.role !== 'user') return [message];
    const content = withoutBlocks(message.content);
    const isEmpty = messageText(content).trim() === '' && typeof content === 'string';
    return isEmpty || (Array.isArray(content) && content.length === 0) ? [] : [{ ...message, content }];
  });
  return rest.some(({ role }) => role === 'user') ? rest : messages;
};
