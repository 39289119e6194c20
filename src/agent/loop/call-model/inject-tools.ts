/**
 * For models and servers that take no tools: the tools are described in the system prompt in the dialect's own way,
 * calls go back as the text they would have been, and results as the text that the dialect expects.
 */
import { callArguments } from '../../../core/call-arguments.ts';
import { lastWhere } from '../../../core/last-where.ts';
import type { ModelMessage, ToolCall } from '../../../core/message.ts';
import type { ToolSchema } from '../../../core/tool.ts';
import { type Dialect, offerTools, renderCall, renderResult } from '../../../dialects/index.ts';

/** What `auto` reads can be written in any dialect; this is the one that most models have seen. */
export const DIALECT_FOR_AUTO = 'hermes';

export const injectTools = (
  messages: readonly ModelMessage[],
  tools: readonly ToolSchema[],
  dialectName: Dialect,
): readonly ModelMessage[] => {
  if (tools.length === 0) return messages;
  const dialect = dialectName === 'auto' ? DIALECT_FOR_AUTO : dialectName;
  const offer = offerTools(dialect, tools);
  const [first, ...rest] = messages;
  const head: ModelMessage[] =
    first?.role === 'system'
      ? [{ role: 'system', content: `${first.content}\n\n${offer}` }]
      : [{ role: 'system', content: offer }, ...(first ? [asText(first, dialect)] : [])];
  return mergeResults([...head, ...rest.map((message) => asText(message, dialect))]);
};

/** Nothing is on offer, and calls of before are the text that they were. */
export const callsAsText = (messages: readonly ModelMessage[], dialectName: Dialect): readonly ModelMessage[] => {
  if (!messages.some(({ role }) => role === 'tool')) return messages;
  const dialect = dialectName === 'auto' ? DIALECT_FOR_AUTO : dialectName;
  return mergeResults(messages.map((message) => asText(message, dialect)));
};

const asText = (message: ModelMessage, dialect: Dialect): ModelMessage => {
  if (message.role === 'tool') {
    const { tool_call_id: id, name, content, says_name = false } = message;
    return { role: 'user', content: renderResult(dialect, { id, name, content, says_name }) };
  }
  if (message.role !== 'assistant' || message.tool_calls.length === 0) return message;
  const calls = message.tool_calls
    .map((call) => written(dialect, call, message.content))
    .filter((text) => text !== '')
    .join('\n');
  return { ...message, content: message.content === '' ? calls : `${message.content}\n${calls}`, tool_calls: [] };
};

/** A call that could not be read is shown as the model wrote it: the correction speaks of that text. */
const written = (dialect: Dialect, call: ToolCall, content: string): string =>
  ownText(call, content) ?? renderCall(dialect, { ...call, arguments: callArguments(call) });

/**
 * What the model wrote of a call that was refused as it was written; empty where it stands in the text of the call before, or
 * in what was shown of the answer.
 */
const ownText = ({ source, malformed, name }: ToolCall, content: string): string | undefined => {
  if (source !== 'parsed' || malformed === undefined) return undefined;
  const { text } = malformed;
  if (text !== '' && !text.includes(name)) return undefined;
  return content.includes(text.trim()) ? '' : text;
};

const isRefused = ({ malformed }: ToolCall): boolean => malformed !== undefined;
const lastRefused = lastWhere<ModelMessage>(
  (message) => message.role === 'assistant' && message.tool_calls.some(isRefused),
);

/**
 * For servers with a field for calls: an answer whose calls were all refused as they were written is the text that it was,
 * and what was wrong is said behind it. A call in the field would show the model one that it never made.
 */
export const refusedAsText = (messages: readonly ModelMessage[]): readonly ModelMessage[] => {
  if (lastRefused(messages) === undefined) return messages;
  const refused = new Set<string>();
  const shown = messages.map((message): ModelMessage => {
    if (message.role === 'tool' && refused.has(message.tool_call_id))
      return { role: 'user', content: message.result.error_message ?? message.content };
    if (message.role !== 'assistant' || message.tool_calls.length === 0) return message;
    const texts = message.tool_calls.map((call) => ownText(call, message.content));
    if (!texts.every((text) => text !== undefined)) return message;
    for (const { id } of message.tool_calls) refused.add(id);
    return {
      ...message,
      content: [message.content, ...texts].filter((text) => text !== '').join('\n'),
      tool_calls: [],
    };
  });
  return refused.size === 0 ? messages : mergeResults(shown);
};

/** Templates of such models know turns of user and assistant only, so results in a row become one turn. */
const mergeResults = (messages: readonly ModelMessage[]): ModelMessage[] => {
  const merged: ModelMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (
      message.role === 'user' &&
      last?.role === 'user' &&
      typeof message.content === 'string' &&
      typeof last.content === 'string'
    ) {
      merged[merged.length - 1] = { role: 'user', content: `${last.content}\n${message.content}` };
    } else merged.push(message);
  }
  return merged;
};
