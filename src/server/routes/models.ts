/** What halter works with: its folder, its model and the others that could be chosen. */
import type { Agent } from '../../agent/create-agent.ts';
import { presentWindow } from '../../agent/models/choose-model.ts';
import { type MemoryFit, machineMemory, memoryFit } from '../../agent/models/memory-fit.ts';
import type { ListedModel } from '../../agent/models/model-catalogue.ts';
import type { ModelProfile } from '../../core/model-profile.ts';
import { ApiError, fromModelError } from '../api-error.ts';
import { openLoaded } from '../open-loaded.ts';
import { defineRoute, json, type Route } from '../route.ts';
import type { ServerContext } from '../server-context.ts';

const PROBE = {
  type: 'object',
  description: 'With `details`: what `halter models probe` found out, where it was probed.',
  required: ['probed_at', 'tool_calls', 'passed', 'failed', 'skipped', 'failures'],
  properties: {
    probed_at: { type: 'integer', description: 'Milliseconds since 1970.' },
    tool_calls: { enum: ['native', 'text', 'none'] },
    context_tokens: { type: 'integer', description: 'The window that was found.' },
    prefill_tokens_per_second: { type: 'number' },
    decode_tokens_per_second: { type: 'number' },
    passed: { type: 'integer' },
    failed: { type: 'integer' },
    skipped: { type: 'integer' },
    failures: { type: 'array', items: { type: 'string' }, description: 'What it could not do.' },
  },
} as const;

const MODEL = {
  type: 'object',
  required: ['id', 'provider', 'endpoint', 'current'],
  properties: {
    id: { type: 'string', description: '`provider/model`, as `change_model` and `POST /api/sessions` take it.' },
    aliases: { type: 'array', items: { type: 'string' }, description: 'Other names of it at its server.' },
    provider: { type: 'string' },
    endpoint: { type: 'string' },
    current: { type: 'boolean', description: 'New sessions begin with it.' },
    context_length: { type: 'integer' },
    size_bytes: { type: 'integer' },
    tools: { type: 'boolean' },
    vision: { type: 'boolean' },
    loaded: { type: 'boolean' },
    unreachable: { type: 'boolean', description: 'Its server does not answer now.' },
    problem: { type: 'string', description: 'Why it cannot be used now, though it is here.' },
    digest: { type: 'string', description: 'Another one where the model behind the name is another.' },
    fit: {
      enum: ['fits', 'tight', 'too_large'],
      description: 'With `details`: whether it fits the memory of this machine by its size, where it runs here.',
    },
    probe: PROBE,
  },
} as const;

export const MODEL_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/models',
    summary: 'The models that can be used',
    tag: 'models',
    query: {
      details: {
        description: 'Whether each fits the memory, and what probing it found out.',
        schema: { const: 'true' },
      },
    },
    responses: {
      200: {
        description: 'The models.',
        schema: {
          type: 'object',
          required: ['models'],
          properties: {
            models: { type: 'array', items: MODEL },
            memory_bytes: { type: 'integer', description: 'With `details`: the memory of this machine.' },
            gets: {
              type: 'array',
              items: { enum: ['ollama', 'embedded'] },
              description:
                'With `details`: for whom models can be got; empty where halter was started for one server that gets none.',
            },
          },
        },
      },
    },
    async handle({ server, signal, query }) {
      const listed = await server.halter.models.list(signal);
      const models = listed.map(({ info, ...model }) => {
        const { chat_template: _template, id: _id, ...rest } = info;
        return { ...model, ...rest };
      });
      if (query.get('details') !== 'true') return json({ models });
      const { admin } = server.halter.models;
      const memory = machineMemory();
      const detailed = listed.map(async (model, index) => ({
        ...models[index],
        ...fitOf(model, memory),
        ...probeOf(await admin.profileOf({ ...model, name: model.info.id, digest: model.info.digest })),
      }));
      return json({ models: await Promise.all(detailed), memory_bytes: memory, gets: admin.gets });
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
    async handle({ query, server, signal }) {
      const name = query.get('model') ?? '';
      if (name === '') throw new ApiError(400, 'invalid_request', 'Say which model: ?model=provider/model.');
      const opened = await openLoaded(server.halter.models, name, AbortSignal.any([signal, server.signal]));
      if (!opened.ok) throw fromModelError(opened.error);
      const { provider, model, info } = opened.value;
      const { chat_template: _template, id: _id, digest: _digest, ...rest } = info;
      const about = { ...rest, context_length: presentWindow(opened.value) };
      return json({
        model: { id: `${provider.name}/${model}`, provider: provider.name, endpoint: provider.endpoint, ...about },
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
            new_sessions: {
              type: 'object',
              required: ['mode'],
              description: 'What sessions begin with.',
              properties: {
                mode: { type: 'string' },
                model: { type: 'string', description: 'Absent: the model below.' },
              },
            },
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
        new_sessions: await newSessions(server),
        model: await modelState(server),
      });
    },
  }),
];

const newSessions = async ({ halter, defaults }: ServerContext): Promise<object> => {
  const { model, mode = halter.rules().mode } = (await defaults?.ofNewSession()) ?? {};
  return { mode, ...(model === undefined ? {} : { model }) };
};

/** Of a server elsewhere the memory is not known, and without a size nothing is. */
const fitOf = ({ provider, endpoint, info }: ListedModel, memory: number): { fit?: MemoryFit } => {
  const host = provider === 'embedded' ? 'localhost' : URL.parse(endpoint)?.hostname;
  const runsHere = host !== undefined && LOOPBACK.has(host);
  return runsHere && info.size_bytes !== undefined ? { fit: memoryFit(info.size_bytes, memory) } : {};
};
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

const probeOf = (profile: ModelProfile | undefined): { probe?: object } => {
  if (profile === undefined) return {};
  const { probed_at, tool_calls, context_tokens, speed, checks } = profile;
  const count = (outcome: string): number => checks.filter((check) => check.outcome === outcome).length;
  return {
    probe: {
      probed_at,
      tool_calls,
      context_tokens,
      prefill_tokens_per_second: speed.prefill_tokens_per_second,
      decode_tokens_per_second: speed.decode_tokens_per_second,
      passed: count('passed'),
      failed: count('failed'),
      skipped: count('skipped'),
      failures: checks.filter(({ outcome }) => outcome === 'failed').map(({ title }) => title),
    },
  };
};

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
  const { provider, model } = opened.value;
  return {
    state: 'ready',
    id: `${provider.name}/${model}`,
    endpoint: provider.endpoint,
    context_length: presentWindow(opened.value),
  };
};
