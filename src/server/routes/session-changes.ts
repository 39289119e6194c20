/** What a session changed in files, for a person to look through. The command `resolve_changes` settles it. */
import { fromFailure } from '../api-error.ts';
import { defineRoute, json, type Route } from '../route.ts';

const HUNK = {
  type: 'object',
  required: ['old_start', 'new_start', 'lines'],
  properties: {
    old_start: { type: 'integer', description: 'Its first line before, counted from 1.' },
    new_start: { type: 'integer', description: 'Its first line now, counted from 1.' },
    lines: { type: 'array', items: { type: 'string' }, description: 'Each with its sign, as in a unified diff.' },
    changed_since: {
      const: true,
      description: 'Somebody else wrote here after halter did, so it is not put back by itself.',
    },
  },
} as const;

const FILE = {
  type: 'object',
  required: [
    'path',
    'hash',
    'state',
    'tools',
    'other_branches',
    'changed_at',
    'changed_since',
    'can_undo',
    'can_undo_hunks',
    'added',
    'removed',
    'hunks',
  ],
  properties: {
    path: { type: 'string' },
    hash: { type: ['string', 'null'], description: 'Of what it holds now; null where there is no file.' },
    state: { enum: ['created', 'changed', 'removed'] },
    tools: { type: 'array', items: { type: 'string' }, description: 'Which changed it.' },
    other_branches: {
      type: 'array',
      items: { type: 'string' },
      description:
        'How the messages begin whose answers on other branches changed it; empty: the branch that is shown did.',
    },
    changed_at: { type: 'integer', description: 'Milliseconds since 1970.' },
    changed_since: { type: 'boolean', description: 'Somebody else changed it after halter did.' },
    can_undo: { type: 'boolean', description: 'What it held before is kept.' },
    can_undo_hunks: { type: 'boolean', description: 'Single places can be put back: those without `changed_since`.' },
    added: { type: 'integer', description: 'Lines.' },
    removed: { type: 'integer', description: 'Lines.' },
    hunks: { type: 'array', items: HUNK },
    note: { type: 'string', description: 'Why no lines are shown, or what changed besides.' },
  },
} as const;

export const SESSION_CHANGE_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/changes',
    summary: 'The files that a session changed and that nobody settled yet',
    description:
      'All changes of a file together, against what it held before them. What commands changed is listed where they ran in a layer (on Linux, with bubblewrap, not in the background); files that an ignore file names, and a command that changes more than 200, are left out. `resolve_changes` takes a file or single places back, or accepts them.',
    tag: 'sessions',
    responses: {
      200: {
        description: 'The files, the one that was changed last first.',
        schema: {
          type: 'object',
          required: ['files', 'more'],
          properties: {
            files: { type: 'array', items: FILE },
            more: { type: 'integer', description: 'Files that are not in the list.' },
          },
        },
      },
      400: { description: 'The session belongs to another folder.' },
    },
    async handle({ params, server }) {
      const session = await server.sessions.get(params['id'] ?? '');
      const review = await server.halter.reviewChanges(session.log());
      if (!review.ok) throw fromFailure(review.error);
      return json(review.value);
    },
  }),
];
