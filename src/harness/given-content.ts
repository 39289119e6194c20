/** What a program says to a model, looked at where it is given: types hold for those alone who use them. */

import { isObject } from '../core/json.ts';
import { shown } from '../core/option-kinds.ts';

const PART = `{ type: 'text', text } or { type: 'image', mime_type: 'image/png', data_base64 }`;

const isText = (value: unknown): boolean => typeof value === 'string';

const isPart = (part: unknown): boolean => {
  if (typeof part !== 'object' || part === null) return false;
  const { type, text, mime_type, data_base64 } = part as Record<string, unknown>;
  return type === 'text' ? isText(text) : type === 'image' && isText(mime_type) && isText(data_base64);
};

/** A part of another library is told by its type. */
const shownPart = (part: unknown): string =>
  isObject(part) && isText(part['type']) ? `an object of the type ${shown(part['type'])}` : shown(part);

/** Throws `TypeError` for what is no content of a message; `place` names it. */
export const checkContent = (content: unknown, place: string): void => {
  if (isText(content)) return;
  if (!Array.isArray(content))
    throw new TypeError(`${place} must be text, or a list with ${PART} each, not ${shown(content)}.`);
  const index = content.findIndex((part) => !isPart(part));
  if (index >= 0) throw new TypeError(`${place}[${index}] must be ${PART}, not ${shownPart(content[index])}.`);
};

/** The same for a message that is sent: there is something in it. */
export const checkMessage = (content: unknown): void => {
  checkContent(content, 'message');
  if (Array.isArray(content) && content.length === 0) throw new TypeError('message is an empty list. Say something.');
};

/** The same for messages of a history, which often come from other libraries. */
export const checkHistory = (messages: unknown): void => {
  if (!Array.isArray(messages)) throw new TypeError('messages must be a list of messages.');
  for (const [index, message] of (messages as Record<string, unknown>[]).entries()) {
    const place = `messages[${index}]`;
    if (!isObject(message))
      throw new TypeError(`${place} must be a message with a role and content, not ${shown(message)}.`);
    if (message['content'] === undefined && Array.isArray(message['parts']))
      throw new TypeError(
        `${place} is a message of the AI SDK's useChat: fromUIMessages of halter/dialects/ai-sdk makes a history of them.`,
      );
    if (message['role'] === 'user') checkContent(message['content'], `${place}.content`);
    else if (!isText(message['content']))
      throw new TypeError(
        `${place}.content of the ${String(message['role'])} must be text, not ${shown(message['content'])}.`,
      );
    checkCalls(message['tool_calls'], place);
  }
};

const checkCalls = (calls: unknown, place: string): void => {
  if (calls === undefined) return;
  const index = Array.isArray(calls) ? calls.findIndex((call) => !isCall(call)) : 0;
  if (index >= 0)
    throw new TypeError(
      `${place}: tool_calls[${index}] is no call: { id, name, arguments }, and arguments is an object.`,
    );
};

const isCall = (call: unknown): boolean =>
  isObject(call) && isText(call['id']) && isText(call['name']) && isObject(call['arguments']);
