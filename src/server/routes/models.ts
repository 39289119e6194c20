/** What halter works with: its folder, its model and the others that could be chosen. */
import type { Agent } from '../../agent/create-agent.ts';
import { ApiError, fromModelError } from '../api-error.ts';
import { defineRoute, json, type Route } from '../route.ts';

const MODEL = {
  type: 'object',
  required: ['id', 'provider', 'endpoint', 'current'],
  properties: {
    id: { type: 'string', description: '`provider/model`, as `change_model` and `POST /api/sessions` take it.' },
    provider: { type: 'string' },
    endpoint: { type: 'string' },
    current: { type: 'boolean', description: 'New sessions begin with it.' },
    context_length: { type: 'integer' },
    size_bytes: { type: 'integer' },
    tools: { type: 'boolean' },
    vision: { type: 'boolean' },
    loaded: { type: 'boolean' },
    unreachable: { type: 'boolean', description: 'Its server does not answer now.' },
    digest: { type: 'string', description: 'Another one where the model behind the name is another.' },
  },
} as const;

export const MODEL_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/models',
    summary: 'The models that can be used',
    tag: 'models',
    responses: {
      200: {
        description: 'The models.',
        schema: { type: 'object', required: ['models'], properties: { models: { type: 'array', items: MODEL } } },
      },
    },
    async handle({ server, signal }) {
      const listed = await server.halter.models.list(signal);
      return json({
        models: listed.map(({ info, ...model }) => {
          const { chat_template: _template, id: _id, ...rest } = info;
          return { ...model, ...rest };
        }),
      });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/models/describe',
    summary: 'One model in detail, such as its window',
    tag: 'models',
    query: { model: { description: '`provider/model`.', schema: { type: 'string' } } },
    responses: {
      200: {
        description: 'The model.',
        schema: { type: 'object', required: ['model'], properties: { model: MODEL } },
      },
      404: { description: 'There is no such model.' },
    },
    async handle({ query, server }) {
      const name = query.get('model') ?? '';
      if (name === '') throw new ApiError(400, 'invalid_request', 'Say which model: ?model=provider/model.');
      const opened = await server.halter.models.open(name);
      if (!opened.ok) throw fromModelError(opened.error);
      const { provider, model, info } = opened.value;
      const { chat_template: _template, id: _id, digest: _digest, ...rest } = info;
      return json({
        model: { id: `${provider.name}/${model}`, provider: provider.name, endpoint: provider.endpoint, ...rest },
      });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/status',
    summary: 'The folder, the sandbox and the model',
    description:
      'Does not wait: `model.state` is `none` before anybody needed the model, `loading` while it is made ready, `ready` or `failed`. `?load=true` begins to make it ready; where that failed, `?load=again` does.',
    tag: 'models',
    query: { load: { description: 'Begin to make the model ready.', schema: { enum: ['true', 'again'] } } },
    responses: {
      200: {
        description: 'How things stand.',
        schema: {
          type: 'object',
          required: ['version', 'workspace', 'sandbox', 'model'],
          properties: {
            version: { type: 'string' },
            workspace: { type: 'string' },
            sandbox: { type: 'string' },
            limits: { type: 'object' },
            model: {
              type: 'object',
              required: ['state'],
              properties: {
                state: { enum: ['none', 'loading', 'ready', 'failed'] },
                id: { type: 'string' },
                endpoint: { type: 'string' },
                context_length: { type: 'integer' },
                message: { type: 'string' },
                fraction: { type: 'number' },
              },
            },
          },
        },
      },
    },
    async handle({ query, server }) {
      const { halter } = server;
      const load = query.get('load');
      if (load === 'again' || (load === 'true' && !failures.has(halter))) beginLoading(halter);
      return json({
        version: server.version,
        workspace: halter.root,
        sandbox: halter.sandbox,
        limits: halter.limits,
        model: await modelState(server),
      });
    },
  }),
];

/** Why the model was not to be had. A page that asks how things stand must not begin anew each time. */
const failures = new WeakMap<Agent, string>();

const beginLoading = (halter: Agent): void => {
  failures.delete(halter);
  void halter.model().then((opened) => {
    if (!opened.ok) failures.set(halter, fromModelError(opened.error).message);
  });
};

const modelState = async ({ halter, loading }: Parameters<Route['handle']>[0]['server']): Promise<object> => {
  const opening = halter.models.opened();
  if (opening === undefined) {
    const message = failures.get(halter);
    return message === undefined ? { state: 'none' } : { state: 'failed', message };
  }
  const opened = await Promise.race([opening, Promise.resolve(undefined)]);
  if (opened === undefined) return { state: 'loading', ...loading?.() };
  if (!opened.ok) return { state: 'failed', message: fromModelError(opened.error).message };
  const { provider, model, info } = opened.value;
  return {
    state: 'ready',
    id: `${provider.name}/${model}`,
    endpoint: provider.endpoint,
    context_length: info.context_length,
  };
};
