/** What a program that a call types into was told before. */
import type { Event } from '../../../core/events.ts';
import type { ToolCall } from '../../../core/message.ts';
import type { Tool } from '../../../core/tool.ts';

/** What the conversation typed into the same program before this call, its message's own calls included. */
export const typedBefore = (
  path: readonly Event[],
  tool: Tool | undefined,
  call: Pick<ToolCall, 'id' | 'name' | 'arguments'>,
): string[] => {
  if (tool?.typed_into === undefined || tool.main_argument === undefined) return [];
  const [into, text] = [tool.typed_into, tool.main_argument];
  const calls = path.flatMap((event) => (event.type === 'assistant_message_added' ? event.message.tool_calls : []));
  const at = calls.findIndex(({ id }) => id === call.id);
  return calls
    .slice(0, at < 0 ? calls.length : at)
    .filter(({ name, arguments: args }) => name === call.name && args[into] === call.arguments[into])
    .map(({ arguments: args }) => String(args[text] ?? ''));
};
