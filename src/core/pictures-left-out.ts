/** A prompt for a model that does not see: a word stands in the place of each picture. */
import type { ContentPart, ModelMessage, UserMessage } from './message.ts';
import { grouped } from './number-text.ts';
import { type PicturePart, truePicture } from './picture-kind.ts';
import { picturesIn } from './tool/model-content.ts';

/** The pictures of a message. */
export const picturesOf = (message: ModelMessage): readonly PicturePart[] =>
  message.role === 'user' ? picturesIn(message.content) : [];

export const hasPictures = (message: ModelMessage): boolean => picturesOf(message).length > 0;

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

const wordOf = ({ name, mime_type, data_base64 }: PicturePart): string => {
  const kilobytes = Math.max(1, Math.round((data_base64.length * 3) / 4 / 1_000));
  return `[A picture stands here that you cannot see now: ${name ?? 'without a name'}, ${mime_type}, ${grouped(kilobytes)} kB.]`;
};

/** The last message that brings pictures brings these. */
export const lastPictures = (messages: readonly ModelMessage[]): readonly PicturePart[] =>
  messages.map(picturesOf).findLast((pictures) => pictures.length > 0) ?? [];

/** A word in the place of each that no model could be shown, and of those in `unreadable`; the others by the kind that they are of. */
export const withReadablePictures = (
  messages: readonly ModelMessage[],
  unreadable: { has(picture: PicturePart): boolean },
): readonly ModelMessage[] => {
  const shownPart = (part: ContentPart): ContentPart => {
    if (part.type === 'text') return part;
    const picture = unreadable.has(part) ? undefined : truePicture(part);
    return picture ?? { type: 'text', text: unreadableWord(part) };
  };
  const shownMessage = (message: ModelMessage): ModelMessage => {
    if (message.role !== 'user' || typeof message.content === 'string' || !hasPictures(message)) return message;
    const content = message.content.map(shownPart);
    return content.every((part, at) => part === message.content[at]) ? message : { ...message, content };
  };
  return messages.some(hasPictures) ? messages.map(shownMessage) : messages;
};

const unreadableWord = ({ name = 'without a name' }: PicturePart): string =>
  `[A file stands here that cannot be read as a picture: ${name}.]`;
