/** Pictures for the page: it loads nothing from elsewhere itself, and what it is handed is a picture and nothing else. */

import type { Picture } from '../../agent/pictures.ts';
import type { Outcome } from '../../core/outcome.ts';
import { ApiError, fromFailure } from '../api-error.ts';
import { respond } from '../respond.ts';
import { defineRoute, type Route } from '../route.ts';

const PICTURE = { description: 'The picture: PNG, JPEG, GIF or WebP.', contentType: 'image/*' } as const;
const REFUSALS = {
  413: { description: 'It has more bytes or points than are shown.' },
  415: { description: 'It is no such picture, whatever its name or its server say.' },
} as const;

export const PICTURE_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/pictures',
    summary: 'A picture that lies in the workspace',
    tag: 'tools',
    query: { path: { description: 'Relative to the workspace.', schema: { type: 'string' } } },
    responses: { 200: PICTURE, 404: { description: 'There is no such file.' }, ...REFUSALS },
    async handle({ query, server, signal }) {
      return shown(await server.halter.pictures.ofWorkspace(query.get('path') ?? '', signal));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/pictures',
    summary: 'A picture of the web, fetched because the person asks for it',
    description:
      'Through the same port as the tools of the web: addresses of this machine and of private networks are refused, as is everything with `--offline`, and the connection stands in `halter egress`. No link can make this request.',
    tag: 'tools',
    body: {
      type: 'object',
      required: ['url'],
      properties: { url: { type: 'string', description: '`http://` or `https://`.' } },
    },
    responses: {
      200: PICTURE,
      403: { description: 'The address is refused.' },
      502: { description: 'The other side failed.' },
      ...REFUSALS,
    },
    async handle({ body, server, signal }) {
      return shown(await server.halter.pictures.ofWeb(body.url, signal));
    },
  }),
];

const STATUS: Readonly<Record<string, number>> = { too_large: 413, not_a_picture: 415 };

const shown = (picture: Outcome<Picture>): Response => {
  if (!picture.ok) {
    const { error_type, reason = '', message } = picture.error;
    const status = STATUS[reason] ?? (error_type === 'io_error' ? 502 : undefined);
    throw status === undefined ? fromFailure(picture.error) : new ApiError(status, reason || error_type, message);
  }
  return respond(new Uint8Array(picture.value.bytes), {
    'content-type': picture.value.mimeType,
    'content-disposition': 'inline',
    // Opened by itself it is a page of this origin, on which nothing may be.
    'content-security-policy': "default-src 'none'; sandbox",
  });
};
