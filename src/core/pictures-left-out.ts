/** A prompt for a model that does not see: a word stands in the place of each picture. */
import type { ContentPart, ModelMessage, UserMessage } from './message.ts';
import { grouped } from './number-text.ts';

const isPicture = (part: ContentPart): boolean => part.type === 'image';

export const hasPictures = (message: ModelMessage): boolean =>
  message.role === 'user' && typeof message.content !== 'string' && message.content.some(isPicture);

export const isOfResults = (message: ModelMessage): boolean => message.role === 'user' && message.of_results === true;

/** Those of results: the text of each tool says that there were pictures. */
export const withoutResultPictures = (messages: readonly ModelMessage[]): readonly ModelMessage[] =>
  messages.some(isOfResults) ? messages.filter((message) => !isOfResults(message)) : messages;

export const withoutPictures = (messages: readonly ModelMessage[]): readonly ModelMessage[] => {
  const rest = withoutResultPictures(messages);
  return rest.some(hasPictures) ? rest.map((message) => (hasPictures(message) ? inWords(message) : message)) : rest;
};

/** As plain text: what takes no pictures may take no parts either. The same message has the same words each time. */
const inWords = (message: ModelMessage): ModelMessage => {
  const known = worded.get(message);
  if (known !== undefined || message.role !== 'user' || typeof message.content === 'string') return known ?? message;
  const content = message.content.map((part) => (part.type === 'text' ? part.text : wordOf(part))).join('\n');
  const made: UserMessage = { ...message, content };
  worded.set(message, made);
  return made;
};
const worded = new WeakMap<ModelMessage, ModelMessage>();

const wordOf = ({ name, mime_type, data_base64 }: Extract<ContentPart, { type: 'image' }>): string => {
  const kilobytes = Math.max(1, Math.round((data_base64.length * 3) / 4 / 1_000));
  return `[A picture stands here that you cannot see now: ${name ?? 'without a name'}, ${mime_type}, ${grouped(kilobytes)} kB.]`;
};
