/** What a program says to a model, looked at where it is given: types hold for those alone who use them. */

import { isObject } from '../core/json.ts';
import { filled, fits, jsonRecord } from '../core/option-kinds.ts';
import { shown } from '../core/shown-value.ts';

const PART = `{ type: 'text', text } or { type: 'image', mime_type: 'image/png', data_base64 }`;

const isText = (value: unknown): boolean => typeof value === 'string';

const isPart = (part: unknown): boolean => {
  if (typeof part !== 'object' || part === null) return false;
  const { type, text, mime_type, data_base64 } = part as Record<string, unknown>;
  return type === 'text' ? isText(text) : type === 'image' && isText(mime_type) && isText(data_base64);
};

const PICTURE_KIND = /^image\/[\w.+-]+$/;
/** Some encoders break the lines. */
const BASE64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/;

/** What no server could show a model. */
const pictureProblem = (part: Record<string, unknown>): string | undefined => {
  const { type, mime_type, data_base64 } = part;
  if (type !== 'image') return undefined;
  if (!PICTURE_KIND.test(String(mime_type)))
    return `mime_type must be a kind such as image/png, not ${shown(mime_type)}`;
  return BASE64.test(String(data_base64)) ? undefined : 'data_base64 must be base64, without "data:" before it';
};

/** A part of another library is told by its type. */
const shownPart = (part: unknown): string =>
  isObject(part) && isText(part['type']) ? `an object of the type ${shown(part['type'])}` : shown(part);

/** Throws `TypeError` for what is no content of a message; `place` names it. */
export const checkContent = (content: unknown, place: string): void => {
  if (isText(content)) return;
  if (!Array.isArray(content))
    throw new TypeError(`${place} must be text, or a list with ${PART} each, not ${shown(content)}.`);
  for (const [index, part] of content.entries()) {
    if (!isPart(part)) throw new TypeError(`${place}[${index}] must be ${PART}, not ${shownPart(part)}.`);
    const problem = pictureProblem(part);
    if (problem !== undefined) throw new TypeError(`${place}[${index}].${problem}.`);
  }
};

/** The same for a message that is sent: there is something in it. */
export const checkMessage = (content: unknown): void => {
  checkContent(content, 'message');
  if (!Array.isArray(content)) return;
  if (content.length === 0) throw new TypeError('message is an empty list. Say something.');
  if (content.every(({ type, text }) => type === 'text' && text.trim() === ''))
    throw new TypeError('The message is empty.');
};

/**
 * The same for messages of a history, which often come from other libraries, or were put together by hand. `mayWait`: calls
 * of its last answer may have no result yet; returns whether they have none.
 */
export const checkHistory = (messages: unknown, mayWait = false): boolean => {
  if (!Array.isArray(messages)) throw new TypeError('messages must be a list of messages.');
  let open: readonly Call[] = [];
  for (const [index, message] of (messages as Record<string, unknown>[]).entries()) {
    const place = `messages[${index}]`;
    checkShape(message, place);
    if (message['role'] === 'tool') open = answered(open, message['tool_call_id'], place);
    else {
      const [call] = open;
      if (call) throw misplaced(place, `the call ${call.id} before it has no result`);
      if (message['role'] === 'assistant') open = (message['tool_calls'] ?? []) as Call[];
    }
  }
  const [call] = open;
  if (call && !mayWait) throw misplaced(`messages[${messages.length - 1}]`, `its call ${call.id} has no result`);
  return call !== undefined;
};

type Call = { id: string };

/** Those that wait for a result when this one is there. */
const answered = (open: readonly Call[], id: unknown, place: string): Call[] => {
  const at = open.findIndex((call) => call.id === id);
  if (at < 0) throw misplaced(place, `no open call has the id ${String(id)}`);
  return open.filter((_, index) => index !== at);
};

const misplaced = (place: string, why: string): TypeError => new TypeError(`${place} has no place: ${why}.`);

const checkShape = (message: unknown, place: string): void => {
  if (!isObject(message))
    throw new TypeError(`${place} must be a message with a role and content, not ${shown(message)}.`);
  const { role, content, parts } = message;
  if (content === undefined && Array.isArray(parts))
    throw new TypeError(
      `${place} is a message of the AI SDK's useChat: fromUIMessages of halter/dialects/ai-sdk makes a history of them.`,
    );
  if (role === 'system' || role === 'developer')
    throw misplaced(place, 'the system prompt is the option `systemPrompt`');
  if (role !== 'user' && role !== 'assistant' && role !== 'tool')
    throw new TypeError(`${place}.role must be one of: user, assistant, tool, not ${shown(role)}.`);
  if (role === 'user') checkContent(content, `${place}.content`);
  else if (!isText(content))
    throw new TypeError(`${place}.content of the ${role} must be text, not ${shown(content)}.`);
  if (role === 'assistant') checkCalls(message['tool_calls'], place);
};

const checkCalls = (calls: unknown, place: string): void => {
  if (calls === undefined) return;
  const index = Array.isArray(calls) ? calls.findIndex((call) => !isCall(call)) : 0;
  if (index >= 0)
    throw new TypeError(
      `${place}: tool_calls[${index}] is no call: { id, name, arguments }, and arguments is an object.`,
    );
  for (const [number, call] of (calls as { arguments: object }[]).entries()) {
    const problem = jsonRecord.problem(call.arguments);
    if (problem && 'wanted' in problem)
      throw new TypeError(
        `${place}.tool_calls[${number}].arguments${problem.path} must be ${problem.wanted}, not ${shown(problem.value)}.`,
      );
  }
};

const isCall = (call: unknown): boolean =>
  isObject(call) && fits(filled, call['id']) && fits(filled, call['name']) && isObject(call['arguments']);
