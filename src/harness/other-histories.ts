/** Histories in the forms of OpenAI's API and of the AI SDK's model messages, as halter has them; what is neither stays as it is. */
import { isObject, type JsonValue } from '../core/json.ts';
import { parseWritten } from '../core/written-numbers.ts';

/** A message in one of those forms, as far as its type is looked at; what cannot be taken is refused in words. */
export type OtherMessage = {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool' | 'function';
  content?: string | readonly object[] | null;
  tool_calls?: readonly object[];
  tool_call_id?: string;
  name?: string;
};

type Fields = Readonly<Record<string, unknown>>;

/** What cannot be converted is left for the check of a history, which says what is wrong with it. */
export const fromOtherForms = (messages: unknown): unknown =>
  Array.isArray(messages)
    ? messages.flatMap((message: unknown) => (isObject(message) ? converted(message) : [message]))
    : messages;

const converted = (message: Fields): unknown[] => {
  const { role, content } = message;
  if (role === 'user' && Array.isArray(content)) return [{ ...message, content: content.map(partOf) }];
  if (role === 'assistant') return [answerOf(message)];
  if (role === 'tool' && Array.isArray(content) && content.every(isPartOf('tool-result'))) return content.map(resultOf);
  if (role === 'tool' && isTexts(content)) return [{ ...message, content: joined(content) }];
  return [message];
};

const isPartOf =
  (...types: readonly string[]) =>
  (part: unknown): part is Fields =>
    isObject(part) && types.includes(String(part['type']));

/** `image_url` of OpenAI, `image` and `file` of the AI SDK, where the picture itself is there. */
const partOf = (part: unknown): unknown => {
  if (!isObject(part)) return part;
  const { type, image_url, image, data, mediaType } = part;
  const url = type === 'image_url' && isObject(image_url) ? image_url['url'] : (image ?? data);
  if (typeof url !== 'string') return part;
  const [, mime_type, data_base64] = /^data:(image\/[\w.+-]+);base64,(.*)$/s.exec(url) ?? [];
  if (mime_type !== undefined) return { type: 'image', mime_type, data_base64 };
  const isPicture = typeof mediaType === 'string' && mediaType.startsWith('image/') && !url.includes(':');
  return isPicture ? { type: 'image', mime_type: mediaType, data_base64: url } : part;
};

const isTexts = (parts: unknown): parts is Fields[] =>
  Array.isArray(parts) && parts.length > 0 && parts.every(isPartOf('text'));
const joined = (parts: readonly Fields[]): string => parts.map((part) => part['text']).join('');

const answerOf = (message: Fields): unknown => {
  const { content, tool_calls } = message;
  if (Array.isArray(content) && content.every(isPartOf('text', 'reasoning', 'tool-call'))) {
    const calls = content.filter(isPartOf('tool-call'));
    const text = content.filter(isPartOf('text')).map((part) => part['text']);
    return {
      role: 'assistant',
      content: text.join(''),
      tool_calls: calls.map((call) => ({ id: call['toolCallId'], name: call['toolName'], arguments: call['input'] })),
    };
  }
  const calls = Array.isArray(tool_calls) ? tool_calls : [];
  // OpenAI's answers that only call have no content.
  const hasNone = content === null || (content === undefined && calls.length > 0);
  if (!hasNone && !calls.some(isOfOpenAi)) return message;
  return {
    role: 'assistant',
    content: hasNone ? '' : content,
    ...(calls.length > 0 ? { tool_calls: calls.map((call: unknown) => (isOfOpenAi(call) ? callOf(call) : call)) } : {}),
  };
};

type OpenAiCall = { id: unknown; function: Fields };
const isOfOpenAi = (call: unknown): call is OpenAiCall => isObject(call) && isObject(call['function']);

const callOf = ({ id, function: { name, arguments: args } }: OpenAiCall): unknown => ({
  id,
  name,
  arguments: typeof args === 'string' ? parsed(args === '' ? '{}' : args) : args,
});

const parsed = (text: string): JsonValue => {
  try {
    return parseWritten(text);
  } catch {
    return text;
  }
};

const resultOf = (part: Fields): unknown => {
  const { toolCallId, toolName, output } = part;
  const said = isObject(output) ? output : {};
  const isDenied = said['type'] === 'execution-denied';
  const isFailure = isDenied || String(said['type']).startsWith('error');
  const content = isDenied ? deniedText(said['reason']) : outputText('value' in said ? said['value'] : output);
  const metadata = { execution_time_ms: 0, data_size_bytes: 0, timestamp: 0 };
  const result = {
    success: false,
    data: null,
    error_message: content,
    error_type: isDenied ? 'permission_denied' : 'io_error',
    metadata,
  };
  return { role: 'tool', tool_call_id: toolCallId, name: toolName, content, ...(isFailure ? { result } : {}) };
};

const deniedText = (reason: unknown): string =>
  typeof reason === 'string' && reason !== ''
    ? `The person denied this call: ${reason}`
    : 'The person denied this call.';

const outputText = (value: unknown): string => {
  if (isTexts(value)) return joined(value);
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
};
