/** Sessions: the list, one of them, its stream of events and what may be asked of it. */

import { setTimeout as sleep } from 'node:timers/promises';
import { AGENT_LIMITS } from '../../agent/limits.ts';
import { searchSessions, wordsOf } from '../../agent/session/search-sessions.ts';
import type { Command } from '../../core/events.ts';
import { MESSAGE_KEY } from '../../core/message-key.ts';
import { OWN_SETTINGS } from '../../core/own-settings.ts';
import { MODES } from '../../core/policy/modes.ts';
import { followMode } from '../../core/policy/overrides.ts';
import { ofFolder } from '../../core/session-folder.ts';
import { branches } from '../../core/session-tree.ts';
import { settingsOf } from '../../core/settings-of.ts';
import { parseTraceparent } from '../../core/traceparent.ts';
import { contextUse } from '../../core/window.ts';
import { STORAGE_LIMITS } from '../../storage/limits.ts';
import { ApiError, fromFailure } from '../api-error.ts';
import { SERVER_LIMITS } from '../limits.ts';
import type { LiveSession } from '../live-session.ts';
import { defineRoute, json, type Route } from '../route.ts';
import { CONTENT, DECISION, RULE, SERVER_QUESTION, SESSION_SUMMARY, STREAM_LINE } from '../schemas.ts';
import { sseResponse } from '../sse.ts';
import { readUpdates } from '../update-stream.ts';

const OK = { type: 'object', required: ['ok'], properties: { ok: { const: true } } } as const;

const command = <const Type extends string, const P extends object, const R extends readonly string[]>(
  type: Type,
  properties: P,
  required: R,
) =>
  ({ type: 'object', required: ['type', ...required], properties: { type: { const: type }, ...properties } }) as const;

const KEY = {
  type: 'string',
  pattern: MESSAGE_KEY,
  description:
    'Sent again under the same key, it is the same message and is taken once: for a client that hears no answer.',
} as const;

const COMMAND = {
  discriminator: { propertyName: 'type' },
  oneOf: [
    command('send_message', { content: CONTENT, idempotency_key: KEY }, ['content']),
    command('steer', { content: CONTENT, idempotency_key: KEY }, ['content']),
    command(
      'resolve_permission',
      { tool_call_id: { type: 'string' }, decision: DECISION, reason: { type: 'string' }, rule: RULE },
      ['tool_call_id', 'decision'],
    ),
    command(
      'answer_server',
      {
        question_id: { type: 'string' },
        action: { enum: ['accept', 'decline', 'cancel'] },
        content: { type: 'object', description: "A form's values; of a `sampling_answer`, `text` in its place." },
      },
      ['question_id', 'action'],
    ),
    command(
      'cancel',
      { queue: { enum: ['drop', 'keep'], description: '`keep`: messages that wait are held, to be sent or removed.' } },
      [],
    ),
    command('send_queued', { queue_id: { type: 'string' } }, ['queue_id']),
    command('remove_queued', { queue_id: { type: 'string' } }, ['queue_id']),
    command(
      'compact',
      { focus: { type: 'string', maxLength: AGENT_LIMITS.compactionFocusCharacters, description: 'What matters.' } },
      [],
    ),
    command(
      'undo',
      {
        on_change: { enum: ['refuse', 'keep', 'force', 'beside'] },
        since_seq: {
          type: 'integer',
          minimum: 0,
          description: 'Everything that was changed after this event goes back. What changed since stays.',
        },
        scope: {
          enum: ['call', 'message'],
          description: '`message`: everything that the answer to one message changed. `call`, the default: one call.',
        },
      },
      [],
    ),
    command(
      'resolve_changes',
      {
        path: { type: 'string', minLength: 1, description: 'As `GET /api/sessions/:id/changes` names it.' },
        hash: { type: ['string', 'null'], description: 'Of the content that the person was shown.' },
        decision: { enum: ['undo', 'accept'] },
        hunks: {
          type: 'array',
          minItems: 1,
          items: { type: 'integer', minimum: 0 },
          description: '`undo`: only these places of the difference, counted from 0.',
        },
        on_change: {
          enum: ['refuse', 'force', 'beside'],
          description: 'What to do where somebody else changed the file since.',
        },
      },
      ['path', 'hash', 'decision'],
    ),
    command('branch', { at_seq: { type: 'integer', minimum: 1 }, run: { type: 'boolean' } }, ['at_seq']),
    command('regenerate', {}, []),
    command(
      'edit_answer',
      {
        seq: { type: 'integer', minimum: 1, description: 'Of the answer.' },
        content: { type: 'string', minLength: 1 },
      },
      ['seq', 'content'],
    ),
    command('rename', { title: { type: 'string', maxLength: STORAGE_LIMITS.sessionTitleCharacters } }, ['title']),
    command('change_mode', { mode: { enum: MODES } }, ['mode']),
    command('change_settings', { settings: OWN_SETTINGS }, ['settings']),
    command('change_model', { model: { type: 'string', minLength: 1 } }, ['model']),
  ],
} as const;

export const SESSION_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/sessions',
    summary: 'The sessions of this folder, newest first',
    tag: 'sessions',
    query: {
      q: { description: 'Only those in which these words were said.', schema: { type: 'string' } },
      all: { description: 'Of every folder.', schema: { type: 'boolean' } },
      limit: { description: 'At most so many.', schema: { type: 'integer', minimum: 1 } },
      after: {
        description: 'Those that stand behind this one: the last `id` of the page before.',
        schema: { type: 'string' },
      },
    },
    responses: {
      200: {
        description: 'The sessions.',
        schema: {
          type: 'object',
          required: ['sessions', 'has_more'],
          properties: {
            sessions: { type: 'array', items: SESSION_SUMMARY },
            pinned: {
              type: 'array',
              items: SESSION_SUMMARY,
              description:
                'Those that the person put in front of the others, wherever they stand in the list. Absent in later pages and in a search.',
            },
            has_more: { type: 'boolean', description: 'There are sessions behind the last one.' },
          },
        },
      },
    },
    async handle({ query, server }) {
      const { halter } = server;
      const words = wordsOf(query.get('q') ?? '');
      const limit = numberOf(query, 'limit', SERVER_LIMITS.pageEvents, SERVER_LIMITS.pageEventsMax);
      const listed = (async () => {
        const all = await halter.sessions.list({
          ...(query.get('all') === 'true' ? {} : ofFolder(halter.folder)),
        });
        if (!all.ok) throw fromFailure(all.error);
        // A session in which nothing was said is of no use in a list.
        return all.value.filter(({ title, message_count }) => message_count > 0 || title !== '');
      })();
      const hits = words.length > 0 ? await searchSessions(halter.sessions, listed, words, { limit }) : undefined;
      const found = new Map(hits?.map((hit) => [hit.id, hit]));
      const sessions = (await listed)
        .filter(({ id, title }) => hits === undefined || found.has(id) || isIn(title, words))
        .map((session) => {
          const { excerpt, set_aside: isAside } = found.get(session.id) ?? {};
          const state = server.sessions.stateOf(session.id);
          return {
            ...session,
            ...state,
            ...(excerpt === undefined ? {} : { excerpt }),
            ...(isAside ? { set_aside: true } : {}),
          };
        });
      const from = query.has('after') ? sessions.findIndex(({ id }) => id === query.get('after')) + 1 : 0;
      const isFirst = hits === undefined && !query.has('after');
      const pins = isFirst ? await server.halter.storage.pins.read() : undefined;
      return json({
        sessions: sessions.slice(from, from + limit),
        // Where the file cannot be read the list stands by date alone.
        ...(pins?.ok ? { pinned: sessions.filter(({ id }) => pins.value.has(id)) } : {}),
        has_more: sessions.length > from + limit,
      });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/sessions',
    summary: 'Begin a session',
    description: 'What is absent is as `GET /api/settings` says.',
    tag: 'sessions',
    body: {
      type: 'object',
      properties: {
        model: { type: 'string', description: 'Another than the usual one: `provider/model`.' },
        settings: OWN_SETTINGS,
      },
    },
    bodyOptional: true,
    responses: {
      201: {
        description: 'It is open.',
        schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
      },
    },
    async handle({ body, server }) {
      const usual = (await server.defaults?.ofNewSession()) ?? {};
      const session = await server.sessions.create(body.model ?? usual.model, body.settings ?? usual.settings);
      if (usual.mode) await server.sessions.send(session.id, { type: 'change_mode', mode: usual.mode });
      return json({ id: session.id }, 201);
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/sessions/:id',
    summary: 'One session: how it stands, and a page of its lines',
    description:
      'The last page by default; `before` takes the page before a `seq`. What is under way stands in `in_flight`. Open the stream with `last_event_id` to go on from here.',
    tag: 'sessions',
    query: {
      before: { description: 'Lines of events before this `seq`.', schema: { type: 'integer', minimum: 1 } },
      limit: { description: 'Events of a page.', schema: { type: 'integer', minimum: 1 } },
    },
    responses: { 200: { description: 'The session.', schema: sessionSchema() } },
    async handle({ params, query, server }) {
      const session = await server.sessions.get(params['id'] ?? '');
      const opening = server.sessions.opensWith(session);
      if (opening === undefined) return json(viewOf(session, query));
      const named = await Promise.race([
        opening.model.catch(() => undefined),
        sleep(SERVER_LIMITS.openingModelMs, undefined, { ref: false }),
      ]);
      const view = viewOf(session, query);
      // Its own log says what it has where it was opened meanwhile.
      if (session.face()) return json(view);
      return json({ ...view, mode: opening.mode, model: named ?? view.model });
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/sessions/:id',
    summary: 'Delete a session',
    tag: 'sessions',
    query: {
      if_left: {
        description: 'Only if nothing was said in it, and nobody looks at it again within half a minute.',
        schema: { type: 'boolean' },
      },
    },
    responses: { 200: { description: 'It is gone.', schema: OK } },
    async handle({ params, query, server }) {
      const id = params['id'] ?? '';
      if (query.get('if_left') === 'true') await server.sessions.removeIfLeft(id);
      else {
        await server.sessions.remove(id);
        server.shares.end(id);
        await server.halter.storage.pins.set(id, false);
      }
      return json({ ok: true });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/sessions/:id/pin',
    summary: 'Put a session in front of the others, or back',
    description:
      'It is the order of the list alone: the session stays as it is. `GET /api/sessions` names them as `pinned`.',
    tag: 'sessions',
    body: { type: 'object', required: ['pinned'], properties: { pinned: { type: 'boolean' } } },
    responses: { 200: { description: 'It stands there.', schema: OK } },
    async handle({ params, body, server }) {
      const id = params['id'] ?? '';
      if (body.pinned) await server.sessions.get(id);
      const done = await server.halter.storage.pins.set(id, body.pinned);
      if (!done.ok) throw fromFailure(done.error);
      server.sessions.activity.listChanged();
      return json({ ok: true });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/events',
    summary: 'What happens in a session, as server-sent events',
    description:
      'Every event has the names of `stream-json` and an `id`. With `Last-Event-ID` (or `?last_event_id=`) the stream goes on exactly behind that line, in the middle of a message too. Without it, everything comes from the beginning. `progress_reset` says that what was shown since the last kept event begins again.',
    tag: 'sessions',
    query: {
      last_event_id: { description: 'As the header.', schema: { type: 'string' } },
      form: {
        description:
          "`updates`: the log's own events, as halter's page reads them. Beside them come `ready` (all that was is told), `progress_reset`, `opens_with` (`model`, `mode`: what the next message would run with) and, as the last one, `session_removed`.",
        schema: { enum: ['updates'] },
      },
    },
    responses: { 200: { description: 'The stream.', contentType: 'text/event-stream', schema: STREAM_LINE } },
    async handle({ request, params, query, server }) {
      const session = await server.sessions.get(params['id'] ?? '');
      const lastId = request.headers.get('last-event-id') ?? query.get('last_event_id') ?? undefined;
      const after = lastId === '' ? undefined : lastId;
      if (query.get('form') === 'updates')
        return sseResponse(
          (reader) => readUpdates(session, after, reader, () => server.sessions.opensWith(session)),
          server.signal,
        );
      return sseResponse((reader) => session.read(after, reader), server.signal);
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/sessions/:id/commands',
    summary: 'Ask something of a session',
    description: 'Answered when the command was taken; what comes of it is in the stream.',
    tag: 'sessions',
    maxBodyBytes: SERVER_LIMITS.messageBytes,
    body: COMMAND,
    responses: {
      200: { description: 'It was taken.', schema: OK },
      409: { description: 'Not now, and why.' },
      429: {
        description:
          'So many messages wait that no more are taken (`queue_full`); `retry-after` says when to ask again.',
      },
    },
    async handle({ request, params, body, server, signal }) {
      const until = AbortSignal.any([signal, server.signal]);
      await server.sessions.send(params['id'] ?? '', withTrace(body as Command, request), until);
      return json({ ok: true });
    },
  }),
];

/** A header that is no span of a trace is passed over. */
const withTrace = (command: Command, request: Request): Command => {
  const traceparent = request.headers.get('traceparent') ?? '';
  return command.type === 'send_message' && parseTraceparent(traceparent) ? { ...command, traceparent } : command;
};

const isIn = (title: string, words: readonly string[]): boolean =>
  words.every((word) => title.toLowerCase().includes(word));

const numberOf = (query: URLSearchParams, name: string, otherwise: number, max: number): number => {
  const text = query.get(name);
  if (text === null) return otherwise;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) {
    throw new ApiError(400, 'invalid_request', `${name} must be a whole number from 1 on.`);
  }
  return Math.min(value, max);
};

const viewOf = (session: LiveSession, query: URLSearchParams) => {
  const log = session.log();
  const last = log.at(-1);
  const limit = numberOf(query, 'limit', SERVER_LIMITS.pageEvents, SERVER_LIMITS.pageEventsMax);
  const before = query.has('before') ? numberOf(query, 'before', 1, Number.MAX_SAFE_INTEGER) : undefined;
  const { lines, hasMore } = session.page(limit, before);
  const started = log.find((event) => event.type === 'session_started');
  const state = session.state();
  const usage = log.findLast((event) => event.type === 'assistant_message_added' && event.message.usage);
  return {
    id: session.id,
    workspace: started?.workspace ?? '',
    model: state.model,
    mode: followMode()(log) ?? 'ask',
    settings: settingsOf(log),
    created_at: started?.at ?? 0,
    updated_at: last?.at ?? 0,
    phase: state.phase,
    running: state.phase !== 'idle',
    permission_request: session.permissionRequest() ?? null,
    server_questions: session.serverQuestions(),
    tasks: state.tasks,
    usage: usage?.type === 'assistant_message_added' ? (usage.message.usage ?? null) : null,
    context_tokens: contextUse(log)?.tokens ?? null,
    last_event_id: String(last?.seq ?? 0),
    has_more: hasMore,
    events: lines,
    branches: branches(log),
    in_flight: session.inFlight(),
  };
};

function sessionSchema() {
  return {
    type: 'object',
    required: ['id', 'workspace', 'model', 'running', 'events', 'last_event_id', 'has_more'],
    properties: {
      id: { type: 'string' },
      workspace: { type: 'string' },
      model: { type: 'string', description: 'That answers the next message.' },
      mode: { enum: MODES, description: 'In which the next message runs.' },
      settings: {
        ...OWN_SETTINGS,
        description: 'What was set for this session; the rest is as halter was started.',
      },
      created_at: { type: 'integer' },
      updated_at: { type: 'integer' },
      phase: { enum: ['idle', 'calling_model', 'tools', 'between', 'ending'] },
      running: { type: 'boolean' },
      permission_request: { type: ['object', 'null'], description: 'The question that is open.' },
      server_questions: { type: 'array', items: SERVER_QUESTION, description: 'What MCP servers ask, unanswered.' },
      tasks: { type: 'array', items: { type: 'object' } },
      usage: { type: ['object', 'null'], description: 'Tokens of the last answer.' },
      context_tokens: {
        type: ['integer', 'null'],
        description:
          'How much of the window the conversation takes: as the server counted, or about, where room was made since.',
      },
      last_event_id: { type: 'string' },
      has_more: { type: 'boolean', description: 'There are lines before this page.' },
      events: { type: 'array', items: STREAM_LINE },
      in_flight: { type: 'array', items: STREAM_LINE },
      branches: {
        type: 'array',
        items: { type: 'object' },
        description: 'The places of this conversation at which there is more than one way on.',
      },
    },
  };
}
