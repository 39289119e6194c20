/** What models did here. */
import { fromFailure } from '../api-error.ts';
import { defineRoute, json, type Route } from '../route.ts';

const COUNT = { type: 'integer' } as const;
const ROW = {
  type: 'object',
  required: ['day', 'model', 'answers'],
  properties: {
    day: { type: 'string', description: '`2026-01-31`, on the calendar of this machine.' },
    model: { type: 'string' },
    answers: COUNT,
    prompt_tokens: COUNT,
    told_prompt_tokens: {
      ...COUNT,
      description: 'Of answers whose server said how much of the prompt it had already.',
    },
    cached_tokens: { ...COUNT, description: 'Of `told_prompt_tokens`, those that were not read again.' },
    completion_tokens: COUNT,
    read_tokens: { ...COUNT, description: 'Prompt tokens that took `read_seconds`.' },
    read_seconds: { type: 'number' },
    write_tokens: { ...COUNT, description: 'Written tokens that took `write_seconds`.' },
    write_seconds: { type: 'number' },
    calls: COUNT,
    repaired_calls: { ...COUNT, description: 'Calls that were repaired before they ran.' },
    rejected_calls: { ...COUNT, description: 'Calls that were sent back to the model.' },
  },
} as const;

const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;

export const STATISTICS_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/statistics',
    summary: 'Tokens, speed, reuse and repairs, by model and day',
    description:
      'Of the sessions that are kept. Every branch counts, and what was copied from another session does not.',
    tag: 'system',
    query: {
      days: {
        description: `The last so many days, ${DEFAULT_DAYS} by default.`,
        schema: { type: 'integer', minimum: 1 },
      },
      all: { description: 'Of every folder.', schema: { type: 'boolean' } },
    },
    responses: {
      200: {
        description: 'The newest day first.',
        schema: {
          type: 'object',
          required: ['rows', 'sessions', 'has_more'],
          properties: {
            rows: { type: 'array', items: ROW },
            sessions: { ...COUNT, description: 'So many were read.' },
            has_more: { type: 'boolean', description: 'There were more; the newest were read.' },
          },
        },
      },
    },
    async handle({ query, server }) {
      const asked = Number(query.get('days') ?? DEFAULT_DAYS);
      const days = Number.isInteger(asked) && asked > 0 ? Math.min(asked, MAX_DAYS) : DEFAULT_DAYS;
      const told = await server.statistics.of(days, query.get('all') === 'true' ? undefined : server.halter.folder);
      if (!told.ok) throw fromFailure(told.error);
      return json(told.value);
    },
  }),
];
