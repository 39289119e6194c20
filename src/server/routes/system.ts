/** Liveness, figures for Prometheus, and the document that describes all of it. */
import { defineRoute, json, type Route } from '../route.ts';

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
    path: '/metrics',
    summary: 'Figures for Prometheus',
    tag: 'system',
    responses: { 200: { description: 'Text in the exposition format.', contentType: 'text/plain' } },
    handle: ({ server }) => {
      const { open, readers, running } = server.sessions.counts();
      const { rss, heapUsed } = process.memoryUsage();
      const gauges: readonly [string, string, number][] = [
        ['halter_uptime_seconds', 'Seconds since the server started.', (server.now() - server.startedAt) / 1000],
        ['halter_sessions_open', 'Sessions that are open.', open],
        ['halter_sessions_running', 'Sessions in which a run goes on.', running],
        ['halter_event_streams', 'Readers of sessions.', readers],
        ['process_resident_memory_bytes', 'Resident memory.', rss],
        ['nodejs_heap_used_bytes', 'Heap in use.', heapUsed],
      ];
      const lines = gauges.map(
        ([name, help, value]) => `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${value}\n`,
      );
      return new Response(lines.join(''), { headers: { 'content-type': 'text/plain; version=0.0.4' } });
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
