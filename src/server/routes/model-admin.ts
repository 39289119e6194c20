/** What a person does with models: getting them, trying them, removing them. */

import { AGENT_LIMITS } from '../../agent/limits.ts';
import { ApiError, fromFailure } from '../api-error.ts';
import { MODEL_JOB_KINDS } from '../model-jobs.ts';
import { defineRoute, json, type Route } from '../route.ts';

const NAME = {
  type: 'string',
  minLength: 1,
  maxLength: AGENT_LIMITS.modelNameCharacters,
  description: '`provider/model`.',
} as const;
const JOB = {
  type: 'object',
  required: ['id', 'kind', 'model', 'state', 'message'],
  properties: {
    id: { type: 'string' },
    kind: { enum: MODEL_JOB_KINDS },
    model: { type: 'string', description: '`provider/model`.' },
    state: { enum: ['running', 'done', 'failed', 'stopped'] },
    message: { type: 'string', description: 'What it is at, or why it failed.' },
    fraction: { type: 'number', description: 'From 0 to 1, where it is known.' },
  },
} as const;
const OK = { type: 'object', required: ['ok'], properties: { ok: { const: true } } } as const;

const SUGGESTION = {
  type: 'object',
  required: ['id', 'title', 'size_bytes', 'memory_bytes', 'fits', 'tools', 'command'],
  properties: {
    id: { type: 'string' },
    title: { type: 'string' },
    quantisation: { type: 'string' },
    size_bytes: { type: 'integer', description: 'Of the file.' },
    memory_bytes: { type: 'integer', description: 'What it takes with a window of 8,192 tokens.' },
    fits: { enum: ['yes', 'tight'] },
    tools: { type: 'boolean', description: 'Its template takes tools.' },
    command: { type: 'string', description: 'What gets it.' },
    pull: { type: 'string', description: 'As a pull takes it; absent where nothing here gets it.' },
  },
} as const;

export const MODEL_ADMIN_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/models/suggestions',
    summary: 'Models that fit this machine, the best first',
    description: 'As `halter models advise` says, but for how fast they would be: nothing is measured.',
    tag: 'models',
    responses: {
      200: {
        description: 'Those of the catalogue that fit.',
        schema: {
          type: 'object',
          required: ['memory_bytes', 'date', 'models'],
          properties: {
            memory_bytes: { type: 'integer', description: 'The memory of this machine.' },
            date: { type: 'string', description: 'Of the catalogue.' },
            models: { type: 'array', items: SUGGESTION },
          },
        },
      },
    },
    async handle({ server, signal }) {
      const told = await server.halter.models.admin.suggest(signal);
      if (!told.ok) throw fromFailure(told.error);
      const { memoryBytes, date, models } = told.value;
      return json({
        memory_bytes: memoryBytes,
        date,
        models: models.map(({ id, title, quantisation, size_bytes, memory, fits, tools, command, pull }) => ({
          id,
          title,
          quantisation,
          size_bytes,
          memory_bytes: Math.round(memory.bytes),
          fits,
          tools,
          command,
          pull,
        })),
      });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/models/jobs',
    summary: 'Pulls and probes of models, newest first',
    tag: 'models',
    responses: {
      200: {
        description: 'Those that go on, and the last ones that ended.',
        schema: { type: 'object', required: ['jobs'], properties: { jobs: { type: 'array', items: JOB } } },
      },
    },
    handle: ({ server }) => json({ jobs: server.modelJobs.list() }),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/models/jobs',
    summary: 'Get a model, or try what it can do',
    description:
      '`pull` gets `ollama/NAME` by the Ollama server that answers, and `embedded/NAME` by halter itself; `probe` is `halter models probe`. Answered at once; it goes on without the caller.',
    tag: 'models',
    body: {
      type: 'object',
      required: ['kind', 'model'],
      properties: { kind: { enum: MODEL_JOB_KINDS }, model: NAME },
    },
    responses: {
      202: {
        description: 'It was begun.',
        schema: { type: 'object', required: ['job'], properties: { job: JOB } },
      },
      409: { description: 'It goes on already, or too many do.' },
    },
    handle: ({ body, server }) => json({ job: server.modelJobs.begin(body.kind, body.model) }, 202),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/models/jobs/:id',
    summary: 'Stop a pull or a probe',
    description:
      'One that is over is taken off the list. What a pull brought stays, and the next one goes on from there.',
    tag: 'models',
    responses: { 200: { description: 'It is over.', schema: OK }, 404: { description: 'There is none.' } },
    async handle({ params, server }) {
      await server.modelJobs.stop(params['id'] ?? '');
      return json({ ok: true });
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/models',
    summary: 'Remove a model',
    description: "From the Ollama server that answers (`ollama/NAME`), or halter's own file (`embedded/NAME`).",
    tag: 'models',
    query: { model: { description: '`provider/model`.', schema: { type: 'string' } } },
    responses: {
      200: { description: 'It is gone.', schema: OK },
      404: { description: 'There is no such model.' },
      409: { description: 'It is in use.' },
    },
    async handle({ query, server, signal }) {
      const model = query.get('model') ?? '';
      if (model === '') throw new ApiError(400, 'invalid_request', 'Say which model: ?model=provider/model.');
      const removed = await server.halter.models.admin.remove(model, signal);
      if (!removed.ok) throw fromFailure(removed.error);
      return json({ ok: true });
    },
  }),
];
