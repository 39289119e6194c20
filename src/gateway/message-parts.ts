/** Parts of messages that every wire, and a file of messages, read in the same way. */
import { isObject, type JsonObject, type JsonValue } from '../core/json.ts';
import type { ContentPart, ModelMessage } from '../core/message.ts';
import type { PicturePart } from '../core/picture-kind.ts';
import { parseJsonLeniently } from '../dialects/index.ts';

export const PICTURE_PROBLEM = 'pictures must be data URLs (data:image/png;base64,…): nothing is fetched for a caller';

/** Model servers take pictures of the person alone; those of results go out as such. */
export const pictureProblem = (role: string): string =>
  `a message of the role ${role} holds a picture, which those of the roles user and tool may alone`;
const DATA_URL = /^data:(image\/[\w.+-]+);base64,([A-Za-z0-9+/=\s]+)$/;

/** A picture as `data:image/png;base64,…`; undefined for every other address. */
export const readPicture = (url: unknown): PicturePart | undefined => {
  const [, mime_type, data] = DATA_URL.exec(typeof url === 'string' ? url : '') ?? [];
  if (mime_type === undefined || data === undefined) return undefined;
  return { type: 'image', mime_type, data_base64: data.replaceAll(/\s/g, '') };
};

/**
 * Arguments of a call that was made before. A model that once wrote them badly must not end its conversation for ever:
 * they are read as far as they can be, and are none where they cannot; the result behind them says what came of it.
 */
export const readCalledArguments = (given: JsonValue | undefined): JsonObject => {
  if (isObject(given)) return given;
  if (typeof given !== 'string' || given.trim() === '') return {};
  const read = parseJsonLeniently(given);
  return read.ok && isObject(read.value) ? read.value : {};
};

/** A result of one of the caller's tools. Where ids repeat, it answers the last call of that id. */
export const toolMessage = (
  id: string,
  content: string,
  before: readonly ModelMessage[],
  name?: string,
): ModelMessage => {
  const called = before.flatMap((message) => (message.role === 'assistant' ? message.tool_calls : []));
  const metadata = { execution_time_ms: 0, data_size_bytes: 0, timestamp: 0 };
  return {
    role: 'tool',
    tool_call_id: id,
    name: name ?? called.findLast((call) => call.id === id)?.name ?? '',
    content,
    result: { success: true, data: content, error_message: null, error_type: 'none', metadata },
  };
};

/**
 * A result goes behind its conversation. Pictures that it brought cannot stand in it, so they follow as a message of their
 * own, behind all results of the same answer: what stands between two of them has no place in a model's template.
 */
export const addResult = (messages: ModelMessage[], result: ModelMessage, pictures: readonly ContentPart[]): void => {
  const last = messages.at(-1);
  const before =
    last?.role === 'user' && last.of_results && typeof last.content !== 'string' ? last.content : undefined;
  if (before !== undefined) messages.pop();
  messages.push(result);
  const all = [...(before ?? []), ...pictures];
  if (all.length > 0) messages.push({ role: 'user', content: all, of_results: true });
};

export const isPicture = ({ type }: ContentPart): boolean => type === 'image';
