/** Results of tools in messages of other libraries, as halter has them. */
import { isObject } from '../../core/json.ts';
import type { ContentPart } from '../../core/message.ts';
import type { PicturePart } from '../../core/picture-kind.ts';
import { deniedByPerson } from '../../core/policy/refusal-words.ts';
import { pictureHeading } from '../../core/result-pictures.ts';
import { failedResult } from '../../core/tool-result.ts';
import { type Fields, pictureOf } from './pictures.ts';

/** A message of the role `tool`, and what a model sees of it beside its text. */
export type ToldResult = { message: Fields; pictures: readonly ContentPart[] };

/** A part `tool-result` of the AI SDK. */
export const resultOf = ({ toolCallId, toolName, output, result }: Fields): ToldResult => {
  const given = output ?? result;
  const { type, reason } = isObject(given) ? given : {};
  if (type === 'execution-denied') return deniedResult(toolCallId, toolName, reason);
  // The type of an output says what its value is.
  const isTyped = isObject(given) && typeof type === 'string' && 'value' in given;
  const { text, pictures } = toldOf(isTyped ? given['value'] : given, type === 'content' || !isTyped);
  const isFailure = String(type).startsWith('error');
  const more = isFailure ? { result: failedResult(text, 'io_error') } : {};
  return {
    message: { role: 'tool', tool_call_id: toolCallId, name: toolName, content: text, ...more },
    pictures: named(toolName, toolCallId, pictures),
  };
};

export const deniedResult = (id: unknown, name: unknown, reason: unknown): ToldResult => {
  const content = deniedByPerson(typeof reason === 'string' ? reason : undefined);
  const result = failedResult(content, 'permission_denied');
  return { message: { role: 'tool', tool_call_id: id, name, content, result }, pictures: [] };
};

/** A message with a list of parts, as OpenAI's API has them. */
export const resultWithParts = (message: Fields, name: unknown): ToldResult => {
  const { text, pictures } = toldOf(message['content'], true);
  return { message: { ...message, content: text }, pictures: named(name, message['tool_call_id'], pictures) };
};

/** As a session's own pictures of results are told, so that each goes back to its result. */
const named = (name: unknown, id: unknown, pictures: readonly PicturePart[]): ContentPart[] =>
  pictures.length === 0 ? [] : [{ type: 'text', text: pictureHeading(String(name), String(id)) }, ...pictures];

/** `isParts`: a list may be parts with a type each; elsewhere it is data. */
const toldOf = (value: unknown, isParts: boolean): { text: string; pictures: PicturePart[] } => {
  if (typeof value === 'string') return { text: value, pictures: [] };
  const hasParts = isParts && Array.isArray(value) && value.length > 0 && value.every(isPart);
  if (!hasParts) return { text: JSON.stringify(value ?? null), pictures: [] };
  const told = value.map((part) => pictureOf(part) ?? partText(part));
  return {
    text: told.filter((part) => typeof part === 'string').join(''),
    pictures: told.filter((part) => typeof part !== 'string'),
  };
};

const isPart = (part: unknown): part is Fields => isObject(part) && typeof part['type'] === 'string';

/** The bytes of a file are no words for a model. */
export const partText = (part: Fields): string => {
  const { type, text, mediaType, filename, url } = part;
  if (typeof text === 'string') return text;
  const file = isObject(part['data']) ? part['data'] : {};
  if (file['type'] === 'text' && typeof file['text'] === 'string') return file['text'];
  const address = [url, file['url']].find((each) => typeof each === 'string' || each instanceof URL);
  const about = [filename, mediaType, address].filter((each) => each !== undefined).map(String);
  return `[${[String(type), ...about].join(', ')}]`;
};
