/** Messages as people have them, in the form of OpenAI's API → the program's own. */
import { isObject, type JsonObject, type JsonValue } from '../core/json.ts';
import type { ContentPart, ModelMessage, ToolCall } from '../core/message.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { parseWritten } from '../core/written-numbers.ts';
import { reasoningText } from '../providers/openai/event-fields.ts';
import {
  addResult,
  isPicture,
  PICTURE_PROBLEM,
  pictureProblem,
  readCalledArguments,
  readPicture,
  toolMessage,
} from './message-parts.ts';

/** A list of messages, or a whole request with `messages` in it. */
export const readMessages = (text: string): Outcome<ModelMessage[]> => {
  let value: unknown;
  try {
    value = parseWritten(text);
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
    const problem = addMessage(entry, messages);
    if (problem !== undefined) return failure('validation_failed', `Message ${index + 1}: ${problem}.`);
  }
  return succeed(messages);
};

/** What is wrong with the message, where anything is. */
const addMessage = (entry: unknown, messages: ModelMessage[]): string | undefined => {
  if (!isObject(entry)) return 'it is no object';
  const parts = readParts(entry['content']);
  if (typeof parts === 'string') return parts;
  const pictures = parts.filter(isPicture);
  const content = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const role = entry['role'];
  if (pictures.length > 0 && role !== 'user' && role !== 'tool') return pictureProblem(String(role));
  switch (role) {
    case 'system':
    case 'developer':
      messages.push({ role: 'system', content });
      return undefined;
    case 'user':
      messages.push({ role: 'user', content: pictures.length > 0 ? parts : content });
      return undefined;
    case 'assistant': {
      const calls = readCalls(entry['tool_calls']);
      if (typeof calls === 'string') return calls;
      const finish = calls.length > 0 ? 'tool_calls' : 'stop';
      const reasoning = thoughtsOf(entry);
      messages.push({ role, content, ...(reasoning ? { reasoning } : {}), tool_calls: calls, finish });
      return undefined;
    }
    case 'tool': {
      const { tool_call_id: id, name } = entry;
      const named = typeof name === 'string' ? name : undefined;
      addResult(messages, toolMessage(typeof id === 'string' ? id : '', content, messages, named), pictures);
      return undefined;
    }
    default:
      return `its role is ${JSON.stringify(entry['role']) ?? 'missing'} and must be system, user, assistant or tool`;
  }
};

/** What an assistant thought or refused may come back as a part of its own. */
const TEXT_KEYS: Readonly<Record<string, string>> = { text: 'text', refusal: 'refusal' };
const WITHOUT_TEXT: ReadonlySet<string> = new Set(['thinking', 'reasoning', 'redacted_thinking']);

/** In a field of their own, or in parts of the content. */
const thoughtsOf = (entry: JsonObject): string => {
  const parts = Array.isArray(entry['content']) ? entry['content'].filter(isObject) : [];
  const inParts = parts.filter(({ type }) => WITHOUT_TEXT.has(String(type))).map((part) => part['text']);
  return reasoningText(entry) || inParts.filter((text) => typeof text === 'string').join('');
};

/** The content as parts, or what is wrong with it: what is not understood is never left out in silence. */
const readParts = (content: JsonValue | undefined): ContentPart[] | string => {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return 'content must be text or a list of parts';
  const parts: ContentPart[] = [];
  for (const part of content) {
    if (!isObject(part)) return 'content has a part that is no object';
    const type = String(part['type'] ?? 'text');
    if (WITHOUT_TEXT.has(type)) continue;
    if (type === 'image_url') {
      const image = isObject(part['image_url']) ? part['image_url']['url'] : part['image_url'];
      const picture = readPicture(image);
      if (picture === undefined) return PICTURE_PROBLEM;
      parts.push(picture);
      continue;
    }
    const key = Object.hasOwn(TEXT_KEYS, type) ? TEXT_KEYS[type] : undefined;
    if (key === undefined) return `parts of the type ${JSON.stringify(type)} cannot be handed to a local model`;
    const text = part[key];
    if (typeof text !== 'string') return `a part of the type ${type} has no text`;
    parts.push({ type: 'text', text });
  }
  return parts;
};

const readCalls = (given: JsonValue | undefined): ToolCall[] | string => {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) return 'tool_calls must be a list';
  const calls: ToolCall[] = [];
  for (const [index, entry] of given.entries()) {
    const call = readCall(entry, index);
    if (typeof call === 'string') return call;
    calls.push(call);
  }
  return calls;
};

const readCall = (entry: JsonValue, index: number): ToolCall | string => {
  const inner = isObject(entry) && isObject(entry['function']) ? entry['function'] : entry;
  if (!isObject(inner) || typeof inner['name'] !== 'string') return 'a tool call has no name';
  const id = isObject(entry) && typeof entry['id'] === 'string' ? entry['id'] : `call_${index + 1}`;
  const args = readCalledArguments(inner['arguments']);
  return { id, name: inner['name'], arguments: args, source: 'native', repairs: [] };
};
