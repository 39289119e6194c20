/** How a conversation stands in which a page was read and the person spoke again. */
import type { Event, EventBody } from '../../src/core/events.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { followStanding, type Standing } from '../../src/core/policy/overrides.ts';

type Made = { id: string; name: string; args: JsonObject; data?: string; untrusted?: true; changes?: boolean };

/** A call that was allowed and brought its result. */
export const finishedCall = ({ id, name, args, data = 'done', untrusted, changes = false }: Made): EventBody[] => [
  {
    type: 'assistant_message_added',
    message: {
      role: 'assistant',
      content: '',
      tool_calls: [{ id, name, arguments: args, source: 'native', repairs: [] }],
      finish: 'tool_calls',
    },
  },
  {
    type: 'policy_evaluated',
    tool_call_id: id,
    verdict: 'allow',
    risk: 'medium',
    because: '',
    exclusive: changes,
    arguments: args,
    ...(untrusted ? { untrusted_content: untrusted } : {}),
  },
  {
    type: 'tool_finished',
    tool_call_id: id,
    result: {
      success: true,
      data,
      error_message: null,
      error_type: 'none',
      metadata: { execution_time_ms: 0, data_size_bytes: 0, timestamp: 0 },
    },
  },
];

/** `file`: what a file of the person's says; `grants`: answers that were given before they spoke. */
export const standingAfter = (page: string, said: string, file = '', grants: readonly EventBody[] = []): Standing => {
  const read = (id: string, name: string, data: string, untrusted?: true): EventBody[] =>
    finishedCall({ id, name, args: {}, data, untrusted });
  const bodies: EventBody[] = [
    { type: 'user_message_added', content: 'look at it' },
    ...(file === '' ? [] : read('f', 'read_file', file)),
    ...read('p', 'web_fetch', page, true),
    ...grants,
    { type: 'user_message_added', content: said },
  ];
  return followStanding(0)(bodies.map((body, index) => ({ seq: index + 1, at: index, ...body }) as Event));
};
