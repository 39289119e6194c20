/**
 * Two readings of one log (Z11): messages for the model, and lines for the person. Nothing is stored twice.
 */
import type { Event } from './events.ts';
import type { AssistantMessage, DisplayMessage, ModelMessage, ToolCall } from './message.ts';
import { createProjection, type ProjectionOptions } from './model-projection.ts';
import { activePath } from './session-tree.ts';
import { executionTime, statusOf } from './tool/display-status.ts';
import type { ToolResult } from './tool-result.ts';

export const projectForModel = (events: readonly Event[], options: ProjectionOptions): readonly ModelMessage[] => {
  const projection = createProjection(options);
  for (const event of activePath(events)) projection.add(event);
  return projection.messages();
};

/** The documents' display message: what the person sees of a finished call. */
export const displayMessage = (call: Pick<ToolCall, 'id' | 'name'>, result: ToolResult): DisplayMessage => ({
  role: 'system',
  tool_call_id: call.id,
  content: [
    `[Tool: ${call.name}]`,
    `Status: ${statusOf(result)}`,
    `Result: ${result.data ?? '(none)'}`,
    executionTime(result),
  ].join('\n'),
});

/** Everything a person reads of a session, in the order of the log. */
export const projectForPerson = (events: readonly Event[]): (ModelMessage | DisplayMessage)[] => {
  const lines: (ModelMessage | DisplayMessage)[] = [];
  const calls = new Map<string, ToolCall>();
  for (const event of activePath(events)) {
    if (event.type === 'user_message_added') lines.push({ role: 'user', content: event.content });
    else if (event.type === 'assistant_message_added') {
      lines.push(event.message);
      for (const call of event.message.tool_calls) calls.set(call.id, call);
    } else if (event.type === 'tool_finished' || event.type === 'arguments_rejected') {
      const call = calls.get(event.tool_call_id);
      if (call !== undefined) lines.push(displayMessage(call, event.result));
    }
  }
  return lines;
};

/** Z11 and K6: the calls of a log with what came of them, in the order of the calls: several at once end in any order. */
export const callHistory = (events: readonly Event[]): { call: ToolCall; result: ToolResult }[] => {
  const calls = new Map<string, ToolCall>();
  const order = new Map<string, number>();
  const history: { call: ToolCall; result: ToolResult }[] = [];
  for (const event of activePath(events)) {
    if (event.type === 'assistant_message_added')
      for (const call of event.message.tool_calls) {
        order.set(call.id, calls.size);
        calls.set(call.id, call);
      }
    if (event.type !== 'tool_finished' && event.type !== 'arguments_rejected') continue;
    const call = calls.get(event.tool_call_id);
    if (call !== undefined) history.push({ call, result: event.result });
  }
  return history.sort((one, other) => (order.get(one.call.id) ?? 0) - (order.get(other.call.id) ?? 0));
};

export const lastAnswer = (log: readonly Event[]): AssistantMessage | undefined => {
  const events = activePath(log);
  for (let index = events.length - 1; index >= 0; index -= 1) {
    const event = events[index];
    if (event?.type === 'assistant_message_added') return event.message;
    if (event?.type === 'user_message_added') return undefined;
  }
  return undefined;
};
