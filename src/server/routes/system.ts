/** Liveness, figures for Prometheus, and the document that describes all of it. */
import { ApiError } from '../api-error.ts';
import { answerMetrics } from '../metrics.ts';
import type { Resume } from '../resume.ts';
import { defineRoute, json, type Route } from '../route.ts';
import type { ServerContext } from '../server-context.ts';

const NOT_KNOWN = 'Pages are not known again here after a restart.';

const resumeOf = (server: ServerContext): Resume => {
  const resume = server.resume();
  if (resume === undefined) throw new ApiError(404, 'not_found', NOT_KNOWN);
  return resume;
};

const PART = { enum: ['ok', 'unused', 'failed'] };
const READINESS = {
  type: 'object',
  required: ['status', 'checks'],
  properties: {
    status: { enum: ['ready', 'not_ready'] },
    checks: {
      type: 'object',
      required: ['database', 'queue', 'model'],
      properties: { database: PART, queue: PART, model: PART },
    },
  },
} as const;

export const SYSTEM_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/healthz',
    summary: 'Whether the server is there',
    tag: 'system',
    open: true,
    responses: {
      200: {
        description: 'It is.',
        schema: { type: 'object', required: ['status'], properties: { status: { const: 'ok' } } },
      },
    },
    handle: () => json({ status: 'ok' }),
  }),
  defineRoute({
    method: 'GET',
    path: '/readyz',
    summary: 'Whether the server can do its work now',
    description: 'For whatever spreads requests over several servers. It names what fails, and nothing more of it.',
    tag: 'system',
    open: true,
    responses: {
      200: { description: 'It can.', schema: READINESS },
      503: { description: 'It cannot.', schema: READINESS },
    },
    async handle({ server }) {
      const { ready, checks } = await server.readiness();
      return json({ status: ready ? 'ready' : 'not_ready', checks }, ready ? 200 : 503);
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/invitation',
    summary: 'How another device opens the page',
    tag: 'system',
    responses: {
      200: {
        description: 'The address with the token in it, and the rows of a QR code of it.',
        schema: {
          type: 'object',
          required: ['url', 'squares'],
          properties: {
            url: { type: 'string' },
            squares: {
              type: 'array',
              items: { type: 'array', items: { type: 'boolean' } },
              description: 'True is dark.',
            },
          },
        },
      },
      404: { description: 'No other device reaches this server.' },
    },
    handle({ server }) {
      const invitation = server.invitation();
      if (invitation) return json(invitation);
      throw new ApiError(
        404,
        'not_found',
        'Only this machine reaches this server. `halter serve --host 0.0.0.0` lets others in.',
      );
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/page-key',
    summary: 'What a page of this address shows in place of the token',
    description: 'A page that was opened with `#token=TOKEN` asks for it once, with the token as its bearer.',
    tag: 'system',
    responses: {
      200: {
        description: 'It counts for this host and port alone.',
        schema: { type: 'object', required: ['key'], properties: { key: { type: 'string' } } },
      },
    },
    handle: ({ request, server }) => json({ key: server.pageKeyFor(request) }),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/resume',
    summary: 'The secret by which an open page is known again after a restart',
    tag: 'system',
    responses: {
      200: {
        description: 'It counts for this folder and this address.',
        schema: { type: 'object', required: ['secret'], properties: { secret: { type: 'string' } } },
      },
      404: { description: 'Pages are not known again here.' },
    },
    handle: ({ server }) => json({ secret: resumeOf(server).secret() }),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/resume',
    summary: 'Go on with a page that was open before the server was restarted',
    description:
      'In two steps, in which both sides show by HMAC-SHA-256 that they hold the secret of `GET /api/resume` and neither says it: `Authorization: Halter-Resume page="NONCE"` is answered with 401 and `WWW-Authenticate: Halter-Resume server="NONCE", proof="…"`, the proof being over `server`, the page\'s nonce and the server\'s, each on a line; then `Authorization: Halter-Resume page="…", server="…", proof="…"`, over `page` and the same two.',
    tag: 'system',
    open: true,
    responses: {
      200: {
        description: 'What the page shows as its bearer from now on.',
        schema: {
          type: 'object',
          required: ['ok', 'key'],
          properties: {
            ok: { const: true },
            key: { type: 'string', description: 'It counts for this host and port.' },
          },
        },
      },
      401: { description: 'What to show.' },
    },
    handle({ request, server }) {
      const resume = server.resume();
      if (resume === undefined) throw new ApiError(401, 'unauthorized', NOT_KNOWN);
      resume.check(request.headers.get('authorization'));
      return json({ ok: true, key: server.pageKeyFor(request) });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/metrics',
    summary: 'Figures for Prometheus',
    description:
      'OpenMetrics where the reader accepts `application/openmetrics-text`, else the older format of Prometheus. With a database also what all its processes share: the queue, the places at model servers, messages that failed.',
    tag: 'system',
    responses: { 200: { description: 'The figures.', contentType: 'text/plain' } },
    handle: ({ request, server }) => {
      const { open, readers, running } = server.sessions.counts();
      return answerMetrics(request, {
        halter: server.halter,
        version: server.version,
        uptimeSeconds: (server.now() - server.startedAt) / 1000,
        gauges: [
          ['halter_sessions_open', 'Sessions that are open.', open],
          ['halter_sessions_running', 'Sessions in which a run goes on.', running],
          ['halter_event_streams', 'Readers of sessions.', readers],
        ],
      });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'This document',
    tag: 'system',
    responses: { 200: { description: 'OpenAPI 3.1.', schema: { type: 'object' } } },
    handle: ({ server }) => json(server.document()),
  }),
];
