/** Answers of `POST /v1/responses` that are kept for a while: asked for again, and forgotten. */
import { GatewayError, invalidRequest } from '../../gateway/error.ts';
import type { KeptResponse } from '../../gateway/kept-responses.ts';
import { gatewayOf } from '../gateway/answer.ts';
import { defineRoute, json, type Route } from '../route.ts';
import type { ServerContext } from '../server-context.ts';

const OPENAI = { tag: 'openai', errors: 'openai' } as const;
const MISSING = { 404: { description: 'No such answer is kept.' } };

const missing = (id: string): GatewayError =>
  new GatewayError(
    404,
    'response_not_found',
    `The response ${JSON.stringify(id)} is not kept here: answers are kept for an hour, and not with store: false.`,
  );

const keptOf = (id: string, server: ServerContext): KeptResponse => {
  const kept = gatewayOf(server).responses.get(id);
  if (kept === undefined) throw missing(id);
  return kept;
};

export const RESPONSES_ROUTES: readonly Route[] = [
  defineRoute({
    ...OPENAI,
    method: 'GET',
    path: '/v1/responses/:id',
    summary: 'An answer that was given before',
    responses: { 200: { description: 'The answer.', schema: { type: 'object' } }, ...MISSING },
    handle({ params, query, server }) {
      if (query.get('stream') === 'true') throw invalidRequest('stream cannot be carried out: the answer is whole.');
      return json(keptOf(params['id'] ?? '', server).response);
    },
  }),
  defineRoute({
    ...OPENAI,
    method: 'DELETE',
    path: '/v1/responses/:id',
    summary: 'Forgets an answer',
    responses: { 200: { description: 'It is forgotten.', schema: { type: 'object' } }, ...MISSING },
    handle({ params, server }) {
      const id = params['id'] ?? '';
      if (!gatewayOf(server).responses.remove(id)) throw missing(id);
      return json({ id, object: 'response', deleted: true });
    },
  }),
  defineRoute({
    ...OPENAI,
    method: 'GET',
    path: '/v1/responses/:id/input_items',
    summary: 'What the request of an answer sent',
    responses: { 200: { description: 'The items, in their order.', schema: { type: 'object' } }, ...MISSING },
    handle({ params, server }) {
      const { input } = keptOf(params['id'] ?? '', server);
      return json({
        object: 'list',
        data: input,
        first_id: input[0]?.['id'] ?? null,
        last_id: input.at(-1)?.['id'] ?? null,
        has_more: false,
      });
    },
  }),
];
