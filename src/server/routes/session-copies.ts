/** Sessions out of sessions: a fork, an export, an import. */

import { type CopyPorts, forkSession, importSession } from '../../agent/session/copy-session.ts';
import { EXPORT_FORMATS, type ExportFormat, exportSession } from '../../core/export-session.ts';
import { ApiError, fromFailure } from '../api-error.ts';
import { SERVER_LIMITS } from '../limits.ts';
import { defineRoute, json, type Route } from '../route.ts';
import type { ServerContext } from '../server-context.ts';

const ID = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } as const;
const IMPORTED = {
  type: 'object',
  required: ['id', 'known'],
  properties: { id: { type: 'string' }, known: { type: 'boolean', description: 'It was here before.' } },
} as const;
const DOCUMENTS: Readonly<Record<ExportFormat, { ending: string; type: string }>> = {
  markdown: { ending: 'md', type: 'text/markdown' },
  html: { ending: 'html', type: 'text/html' },
  json: { ending: 'json', type: 'application/json' },
  jsonl: { ending: 'jsonl', type: 'application/x-ndjson' },
};
const copyPorts = ({ halter, now }: ServerContext): CopyPorts => ({
  storage: halter.storage,
  limits: halter.limits,
  clock: { now, monotonic: () => performance.now() },
});

export const SESSION_COPY_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/api/sessions/:id/fork',
    summary: 'A new session with the conversation up to an event',
    tag: 'sessions',
    body: {
      type: 'object',
      properties: { at_seq: { type: 'integer', minimum: 1, description: 'The last event that is taken over.' } },
    },
    bodyOptional: true,
    responses: { 201: { description: 'It is there.', schema: ID } },
    async handle({ params, body, server }) {
      const made = await forkSession(copyPorts(server), {
        id: params['id'] ?? '',
        atSeq: body.at_seq,
      });
      if (!made.ok) throw fromFailure(made.error);
      return json({ id: made.value.id }, 201);
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/sessions/import',
    summary: 'A session out of an export',
    description: 'One that is here already is not taken in twice: its `id` is told, with `known`.',
    tag: 'sessions',
    maxBodyBytes: SERVER_LIMITS.messageBytes,
    body: {
      type: 'object',
      required: ['text'],
      properties: { text: { type: 'string', description: 'What `export` gave as `json` or `jsonl`.' } },
    },
    responses: {
      200: { description: 'It was here already.', schema: IMPORTED },
      201: { description: 'It is there.', schema: IMPORTED },
    },
    async handle({ body, server }) {
      const made = await importSession(copyPorts(server), { text: body.text, workspace: server.halter.root });
      if (!made.ok) throw fromFailure(made.error);
      const { id, known } = made.value;
      return json({ id, known }, known ? 200 : 201);
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/export',
    summary: 'A session as a document',
    tag: 'sessions',
    query: { format: { description: 'Markdown where absent.', schema: { enum: [...EXPORT_FORMATS] } } },
    responses: { 200: { description: 'The document, as a download.', contentType: 'text/markdown' } },
    async handle({ params, query, server }) {
      const format = (query.get('format') ?? 'markdown') as ExportFormat;
      if (!EXPORT_FORMATS.includes(format)) {
        throw new ApiError(400, 'invalid_request', `format must be one of ${EXPORT_FORMATS.join(', ')}.`);
      }
      const session = await server.sessions.get(params['id'] ?? '');
      const log = session.log();
      const { ending, type } = DOCUMENTS[format];
      return new Response(exportSession(log, format), {
        headers: {
          'content-type': `${type}; charset=utf-8`,
          // Never shown as a page of this server: a model wrote what is in it.
          'content-disposition': `attachment; filename="halter-${session.id.replaceAll(/[^\w-]/g, '')}.${ending}"`,
        },
      });
    },
  }),
];
