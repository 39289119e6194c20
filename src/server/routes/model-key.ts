/** The key of the model server: kept, replaced and removed, and never said. */
import { ApiError, fromFailure } from '../api-error.ts';
import type { ModelKeyPort } from '../model-key.ts';
import { defineRoute, json, type Route } from '../route.ts';
import type { ServerContext } from '../server-context.ts';

const TOLD = {
  type: 'object',
  required: ['from', 'is_settable'],
  properties: {
    from: {
      enum: ['none', 'here', 'file', 'variable', 'command'],
      description: '`here`: it was set by this route. Others are named in `config.json` or by a flag.',
    },
    name: { type: 'string', description: 'Of the file or the variable.' },
    for: { type: 'string', description: 'The address of the server that the key which was set here is for.' },
    server: { type: 'string', description: 'The address of the server that a key would be for which is set now.' },
    is_settable: {
      type: 'boolean',
      description:
        'A key that is set here would count: no other goes before it, and there is a server it would be for.',
    },
  },
} as const;
const PATH = '/api/model-key';

const portOf = ({ modelKey }: ServerContext): ModelKeyPort => {
  if (modelKey === undefined) throw new ApiError(404, 'not_found', 'No settings are kept here.');
  return modelKey;
};
const told = async (server: ServerContext): Promise<Response> => {
  const now = await portOf(server).tell();
  if (!now.ok) throw fromFailure(now.error);
  return json(now.value);
};

export const MODEL_KEY_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: PATH,
    summary: 'Where the key of the model server comes from',
    description: 'The key itself is never told.',
    tag: 'settings',
    responses: { 200: { description: 'Where from.', schema: TOLD }, 404: { description: 'None are kept here.' } },
    handle: ({ server }) => told(server),
  }),
  defineRoute({
    method: 'POST',
    path: PATH,
    summary: 'Keep a key for the model server',
    description:
      'In a file that only the person can read, which `api_key_file` of `config.json` names. It is for the server that halter goes by now (`api_key_for`) and is sent to no other. It counts from the next start of halter on.',
    tag: 'settings',
    body: { type: 'object', required: ['key'], properties: { key: { type: 'string', minLength: 1 } } },
    responses: {
      200: { description: 'It is kept.', schema: TOLD },
      400: { description: 'It is no key.' },
      409: { description: 'Another key goes before it, or there is no server that it would be for.' },
    },
    async handle({ body, server }) {
      const port = portOf(server);
      const now = await port.tell();
      if (now.ok && !now.value.is_settable)
        throw now.value.from === 'none'
          ? new ApiError(409, 'no_server', 'halter goes by no model server, so there is none that a key could be for.')
          : new ApiError(409, 'held', 'A key that is named elsewhere goes before one that is set here.');
      const kept = await port.set(body.key);
      if (!kept.ok) throw fromFailure(kept.error);
      return told(server);
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: PATH,
    summary: 'Remove the key that was kept here',
    tag: 'settings',
    responses: { 200: { description: 'It is gone.', schema: TOLD } },
    async handle({ server }) {
      const removed = await portOf(server).set(undefined);
      if (!removed.ok) throw fromFailure(removed.error);
      return told(server);
    },
  }),
];
