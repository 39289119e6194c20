/** Markup of an answer, drawn in a frame that can do nothing: no script, no network, no storage, no page around it. */
import { ApiError } from '../api-error.ts';
import { respond } from '../respond.ts';
import { defineRoute, json, type Route } from '../route.ts';

/** `sandbox` without a word gives an origin that is nobody's, and takes scripts, forms, popups and navigation away. */
export const PREVIEW_POLICY = [
  'sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ');

export const PREVIEW_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/api/previews',
    summary: 'Keep markup for a minute, so that a frame can draw it',
    description:
      'What is at `path` is drawn under a policy of its own: no script runs, nothing is loaded, nothing is sent, and it has no origin. It can be framed by the page alone.',
    tag: 'system',
    body: {
      type: 'object',
      required: ['html'],
      properties: { html: { type: 'string', description: 'A document, or a part of one.' } },
    },
    responses: {
      201: {
        description: 'It is there for a minute.',
        schema: {
          type: 'object',
          required: ['path'],
          properties: { path: { type: 'string', description: 'Of this server; nobody can guess it.' } },
        },
      },
    },
    handle: ({ body, server }) => json({ path: `/previews/${server.previews.add(body.html)}` }, 201),
  }),
  defineRoute({
    method: 'GET',
    path: '/previews/:id',
    summary: 'Markup that was kept to be drawn',
    tag: 'system',
    open: true,
    responses: {
      200: { description: 'The markup, under a policy that lets it do nothing.', contentType: 'text/html' },
      401: { description: 'The address is none that was given out, or its minute is over.' },
    },
    handle({ params, server }) {
      const html = server.previews.get(params['id'] ?? '');
      // The address itself is what lets somebody in.
      if (html === undefined) throw new ApiError(401, 'unauthorized', 'This preview is over. Open it again.');
      return respond(html, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': PREVIEW_POLICY,
        'x-frame-options': 'SAMEORIGIN',
        'x-dns-prefetch-control': 'off',
      });
    },
  }),
];
