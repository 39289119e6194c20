/** Messages as people have them, in the form of OpenAI's API → the program's own. */
import { isObject, type JsonObject, type JsonValue } from '../core/json.ts';
import type { ContentPart, ModelMessage, ToolCall } from '../core/message.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { PICTURE_PROBLEM, readPicture, toolMessage } from './message-parts.ts';

/** A list of messages, or a whole request with `messages` in it. */
export const readMessages = (text: string): Outcome<ModelMessage[]> => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return failure('parse_error', `The messages are not JSON: ${(error as Error).message}`);
  }
  const list = isObject(value) ? value['messages'] : value;
  if (!Array.isArray(list))
    return failure('validation_failed', 'The messages must be a JSON array, or {"messages": […]}.');
  return toModelMessages(list);
};

export const toModelMessages = (list: readonly unknown[]): Outcome<ModelMessage[]> => {
  const messages: ModelMessage[] = [];
  for (const [index, entry] of list.entries()) {
    const message = readMessage(entry, messages);
    if (typeof message === 'string') return failure('validation_failed', `Message ${index + 1}: ${message}.`);
    messages.push(message);
  }
  return succeed(messages);
};

const textOf = (content: JsonValue | undefined): string | undefined => {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  return content.map((part) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('');
};

/** The message, or what is wrong with it. */
const readMessage = (entry: unknown, before: readonly ModelMessage[]): ModelMessage | string => {
  if (!isObject(entry)) return 'it is no object';
  const content = textOf(entry['content']);
  if (content === undefined) return 'content must be text or a list of parts';
  switch (entry['role']) {
    case 'system':
    case 'developer':
      return { role: 'system', content };
    case 'user': {
      const parts = imageParts(entry['content']);
      return typeof parts === 'string' ? parts : { role: 'user', content: parts ?? content };
    }
    case 'assistant': {
      const calls = Array.isArray(entry['tool_calls']) ? entry['tool_calls'].map(readCall) : [];
      const wrong = calls.find((call) => typeof call === 'string');
      if (wrong !== undefined) return wrong;
      return {
        role: 'assistant',
        content,
        tool_calls: calls as ToolCall[],
        finish: calls.length > 0 ? 'tool_calls' : 'stop',
      };
    }
    case 'tool': {
      const { tool_call_id: id, name } = entry;
      const named = typeof name === 'string' ? name : undefined;
      return toolMessage(typeof id === 'string' ? id : '', content, before, named);
    }
    default:
      return `its role is ${JSON.stringify(entry['role']) ?? 'missing'} and must be system, user, assistant or tool`;
  }
};

/** The parts of a message with pictures in it; undefined where it is text alone, or what is wrong. */
const imageParts = (content: JsonValue | undefined): ContentPart[] | undefined | string => {
  if (!Array.isArray(content) || !content.some((part) => isObject(part) && part['type'] === 'image_url'))
    return undefined;
  const parts: ContentPart[] = [];
  for (const part of content) {
    if (!isObject(part)) continue;
    if (typeof part['text'] === 'string') parts.push({ type: 'text', text: part['text'] });
    if (part['type'] !== 'image_url') continue;
    const image = isObject(part['image_url']) ? part['image_url']['url'] : part['image_url'];
    const picture = readPicture(image);
    if (picture === undefined) return PICTURE_PROBLEM;
    parts.push(picture);
  }
  return parts;
};

const readCall = (entry: JsonValue, index: number): ToolCall | string => {
  const inner = isObject(entry) && isObject(entry['function']) ? entry['function'] : entry;
  if (!isObject(inner) || typeof inner['name'] !== 'string') return 'a tool call has no name';
  const args = readArguments(inner['arguments']);
  if (args === undefined) return `the arguments of ${inner['name']} are no JSON object`;
  const id = isObject(entry) && typeof entry['id'] === 'string' ? entry['id'] : `call_${index + 1}`;
  return { id, name: inner['name'], arguments: args, source: 'native', repairs: [] };
};

const readArguments = (value: JsonValue | undefined): JsonObject | undefined => {
  if (value === undefined || value === null) return {};
  if (isObject(value)) return value;
  try {
    const parsed: unknown = JSON.parse(String(value));
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
};
