/** Tool events with exactly the fields of Edison's document, for its preset. */
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { ChatReply, ToolEvent } from './chat-result.ts';

export type PlainToolEvent = {
  tool: string;
  args: JsonObject;
  result: { ok: boolean; error: string | null; data: JsonValue };
  summary: string;
};

export const withPlainEvents = ({ tool_events, context, ...reply }: ChatReply) => ({
  ...reply,
  tool_events: tool_events.map(plainEvent),
  ...(context ? { context: plainEvent(context) } : {}),
});

const plainEvent = ({ tool, args, result, summary }: ToolEvent): PlainToolEvent => ({
  tool,
  args,
  result: { ok: result.success, error: result.error_message, data: dataOf(result.data) },
  summary,
});

/** Lists and objects as what they are. */
const dataOf = (data: string | null): JsonValue => {
  if (data === null || !/^\s*[[{]/.test(data)) return data;
  try {
    return JSON.parse(data) as JsonValue;
  } catch {
    return data;
  }
};
