/** A link by which others read a session as it goes on. Its token opens that one stream, and nothing of the rest here. */
import { ApiError } from '../api-error.ts';
import { defineRoute, json, type Route } from '../route.ts';
import { STREAM_LINE } from '../schemas.ts';
import type { ServerContext } from '../server-context.ts';
import { sseResponse } from '../sse.ts';
import { readUpdates } from '../update-stream.ts';

const SHARED = {
  type: 'object',
  required: ['shared'],
  properties: {
    shared: { type: 'boolean' },
    token: { type: 'string', description: 'Told once, when the link is made.' },
  },
} as const;
const PATH = '/api/sessions/:id/share';
const OVER = 'This link is not shared any more. Ask whoever sent it for another one.';

const opened = (request: Request, { shares }: ServerContext): { sessionId: string; signal: AbortSignal } => {
  const [, token = ''] = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
  const share = shares.opened(token);
  if (share === undefined) throw new ApiError(401, 'unauthorized', OVER, { 'www-authenticate': 'Bearer' });
  return share;
};

export const SHARE_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: PATH,
    summary: 'Whether a session is shared for reading',
    tag: 'sessions',
    responses: { 200: { description: 'Whether it is.', schema: SHARED } },
    async handle({ params, server }) {
      const { id } = await server.sessions.get(params['id'] ?? '');
      return json({ shared: server.shares.has(id) });
    },
  }),
  defineRoute({
    method: 'POST',
    path: PATH,
    summary: 'Share a session for reading',
    description:
      'The token opens `GET /api/shared/events` and nothing else, until `DELETE` or the end of the server. One that was given out before counts no more. In the page: `/#/shared/TOKEN`.',
    tag: 'sessions',
    responses: { 201: { description: 'It is shared.', schema: SHARED }, 409: { description: 'Too many are shared.' } },
    async handle({ params, server }) {
      const { id } = await server.sessions.get(params['id'] ?? '');
      const token = server.shares.begin(id);
      if (token === undefined)
        throw new ApiError(409, 'too_many', 'Too many sessions are shared. End one of them first.');
      return json({ shared: true, token }, 201);
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: PATH,
    summary: 'End the sharing of a session',
    description: 'Streams that were opened by it end at once.',
    tag: 'sessions',
    responses: { 200: { description: 'It is not shared.', schema: SHARED } },
    handle({ params, server }) {
      server.shares.end(params['id'] ?? '');
      return json({ shared: false });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/shared/events',
    summary: 'What happens in a shared session',
    description: 'As `GET /api/sessions/:id/events?form=updates`. The bearer is the token of the share.',
    tag: 'sessions',
    open: true,
    query: { last_event_id: { description: 'As the header.', schema: { type: 'string' } } },
    responses: {
      200: { description: 'The stream.', contentType: 'text/event-stream', schema: STREAM_LINE },
      401: { description: 'It is not shared, or not any more.' },
    },
    async handle({ request, query, server }) {
      const { sessionId, signal } = opened(request, server);
      const session = await server.sessions.get(sessionId);
      const lastId = request.headers.get('last-event-id') ?? query.get('last_event_id') ?? undefined;
      const after = lastId === '' ? undefined : lastId;
      return sseResponse((reader) => readUpdates(session, after, reader), AbortSignal.any([server.signal, signal]));
    },
  }),
];
