/** One stream for all sessions: what runs, what waits for the person, and that there are others. */
import { defineRoute, type Route } from '../route.ts';
import { sseResponse } from '../sse.ts';

export const ACTIVITY_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/activity',
    summary: 'What goes on in all sessions, as server-sent events',
    description:
      '`session_state` comes for each session that runs or waits, and whenever that changes: `{id, running, permission_request, server_questions}`; `permission_request` is what is asked, answered with the command `resolve_permission`, or null. `sessions_changed` says that `GET /api/sessions` answers otherwise now, also where another program began, wrote or removed a session. `ready` comes once all states were told. Both carry `list`, another number whenever the list is another one: whoever was away compares it.',
    tag: 'sessions',
    responses: { 200: { description: 'The stream.', contentType: 'text/event-stream', schema: { type: 'object' } } },
    handle: ({ server }) => sseResponse((reader) => server.sessions.activity.follow(reader), server.signal),
  }),
];
