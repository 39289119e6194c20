/** What sessions begin with, kept in the person's settings. */
import { ApiError, fromFailure } from '../api-error.ts';
import { DEFAULT_SETTINGS, type DefaultSettings } from '../default-settings.ts';
import { defineRoute, json, type Route } from '../route.ts';
import type { ServerContext } from '../server-context.ts';

const NAMES = { type: 'array', items: { enum: Object.keys(DEFAULT_SETTINGS.properties) } } as const;
const TOLD = {
  type: 'object',
  required: ['settings', 'held', 'next_start'],
  properties: {
    settings: { ...DEFAULT_SETTINGS, properties: { ...DEFAULT_SETTINGS.properties, mode: { type: 'string' } } },
    held: { ...NAMES, description: 'A flag or the project says these, so what is set here does not count.' },
    next_start: { ...NAMES, description: 'What is set of these counts from the next start of halter on.' },
  },
} as const;

const defaultsOf = ({ defaults }: ServerContext): DefaultSettings => {
  if (defaults === undefined) throw new ApiError(404, 'not_found', 'No settings are kept here.');
  return defaults;
};

const told = async (server: ServerContext): Promise<Response> => {
  const now = await defaultsOf(server).tell();
  if (!now.ok) throw fromFailure(now.error);
  return json(now.value);
};

export const SETTINGS_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/settings',
    summary: 'What sessions begin with',
    tag: 'settings',
    responses: {
      200: { description: 'The settings of the person, as far as sessions have them.', schema: TOLD },
      404: { description: 'None are kept here.' },
    },
    handle: ({ server }) => told(server),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/settings',
    summary: 'Set what sessions begin with',
    description:
      'All of it: what is absent is taken out of `config.json`. It holds for sessions that are begun by `POST /api/sessions` from then on; `yolo` is set where halter is started, and not here.',
    tag: 'settings',
    body: DEFAULT_SETTINGS,
    responses: {
      200: { description: 'The settings from now on.', schema: TOLD },
      400: { description: 'One does not fit.' },
      404: { description: 'None are kept here.' },
    },
    async handle({ body, server }) {
      const changed = await defaultsOf(server).change(body);
      if (!changed.ok) throw fromFailure(changed.error);
      return told(server);
    },
  }),
];
