/** Events of a conversation as tests write them down. */
import type { EventBody } from '../../src/core/events.ts';
import type { JsonObject } from '../../src/core/json.ts';

export const said = (content: string): EventBody => ({ type: 'user_message_added', content });

export const answered = (content: string): EventBody => ({
  type: 'assistant_message_added',
  message: { role: 'assistant', content, tool_calls: [], finish: 'stop' },
});

/** An answer that is one native call. */
export const calledTool = (id: string, name: string, args: JsonObject): EventBody => ({
  type: 'assistant_message_added',
  message: {
    role: 'assistant',
    content: '',
    tool_calls: [{ id, name, arguments: args, source: 'native', repairs: [] }],
    finish: 'tool_calls',
  },
});
