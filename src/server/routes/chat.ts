/** E13: one message, one reply, with what tools did for it. */

import { withHint } from '../../core/error-text.ts';
import { isObject } from '../../core/json.ts';
import { ApiError, tooSlow } from '../api-error.ts';
import type { ChatReply } from '../chat/chat-result.ts';
import { createChatRuns } from '../chat/chat-runs.ts';
import { withPlainEvents } from '../chat/plain-events.ts';
import { SERVER_LIMITS } from '../limits.ts';
import { frameOf } from '../line-ids.ts';
import { defineRoute, json, type Route } from '../route.ts';
import { DECISION, TOOL_RESULT } from '../schemas.ts';
import { sseResponse } from '../sse.ts';
import { OLLAMA_CHAT_ROUTE } from './gateway.ts';

const ID = { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$' } as const;

/** Of the preset `edison`. */
const PLAIN_RESULT = {
  type: 'object',
  required: ['ok', 'error', 'data'],
  properties: { ok: { type: 'boolean' }, error: { type: ['string', 'null'] }, data: {} },
};

const TOOL_EVENT = {
  type: 'object',
  required: ['tool', 'args', 'result', 'summary'],
  properties: {
    id: { type: 'string', description: 'The call, as in `citations`; not with the preset `edison`.' },
    tool: { type: 'string' },
    args: { type: 'object' },
    written: {
      type: 'string',
      description: "The arguments with the model's own digits, where the values have lost some; not with `edison`.",
    },
    result: { oneOf: [TOOL_RESULT, PLAIN_RESULT] },
    summary: { type: 'string', description: 'At most 900 characters.' },
  },
};

const REPLY = {
  type: 'object',
  required: ['answer', 'tools_used', 'tool_events', 'citations', 'permission_requests', 'chat_id', 'request_id'],
  properties: {
    answer: { type: 'string', description: 'With a line `Sources: …` where tools returned something.' },
    tools_used: {
      type: 'array',
      items: { type: 'string' },
      description:
        'The tools that gave something, and what looked something up beforehand where the answer cites it; `Sources` names the same. A tool whose calls all failed is not among them.',
    },
    tool_events: { type: 'array', items: TOOL_EVENT },
    citations: {
      type: 'array',
      description: 'The `[source:…]` marks of the answer, each with the call it leans on.',
      items: {
        type: 'object',
        required: ['source', 'tool_call_id', 'verified', 'position'],
        properties: {
          source: { type: 'string' },
          tool_call_id: { type: ['string', 'null'] },
          quote: { type: 'string', description: 'The quoted passage before the mark.' },
          verified: { type: 'boolean', description: 'There is such a result, and the passage stands in it.' },
          position: { type: 'integer' },
        },
      },
    },
    permission_requests: {
      type: 'array',
      description: 'What would have had to be asked and was not run.',
      items: { type: 'object' },
    },
    chat_id: { type: 'string' },
    request_id: { type: 'string' },
    tools_allowed: { type: 'boolean' },
    exit_reason: { type: 'string' },
    finish_reason: {
      type: 'string',
      enum: ['length', 'content_filter', 'other'],
      description:
        'The answer is not whole: the token limit or the window cut it, a filter of the model server did, or that server gave a reason that nobody knows.',
    },
    model: { type: 'string' },
    usage: { type: 'object' },
    context: { ...TOOL_EVENT, description: 'What was looked up beforehand and put before the message.' },
    error: { type: 'object' },
    warnings: {
      type: 'array',
      description: 'What was noticed, as in the lines `warning` of the stream; only where there is any.',
      items: {
        type: 'object',
        required: ['code', 'message'],
        properties: { code: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
};

/** Of a body that is meant for Ollama. */
const OLLAMA_REPLY = {
  type: 'object',
  required: ['model', 'created_at', 'message', 'done'],
  additionalProperties: true,
  properties: {
    model: { type: 'string' },
    created_at: { type: 'string' },
    message: { type: 'object' },
    done: { type: 'boolean' },
  },
};

/** Halter's own body says one message, and may say no model. */
const isOfOllama = (given: unknown): boolean =>
  isObject(given) &&
  (Object.hasOwn(given, 'messages') || (Object.hasOwn(given, 'model') && !Object.hasOwn(given, 'message')));

/** Of what only halter's own clients say, besides their message. */
const OWN_FIELDS = ['message', 'mode', 'tools_allowed', 'chat_id', 'request_id'];
const isOwn = (given: unknown): boolean => isObject(given) && OWN_FIELDS.some((name) => Object.hasOwn(given, name));
const NOBODYS =
  'The body is a JSON object with `message`, as halter takes it, or with `model` and `messages`, as Ollama does. It has neither.';

const runs = new WeakMap<object, ReturnType<typeof createChatRuns>>();
/** One table of requests a server. */
const runsOf = (server: object): ReturnType<typeof createChatRuns> => {
  const known = runs.get(server) ?? createChatRuns();
  runs.set(server, known);
  return known;
};

export const CHAT_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/api/chat',
    summary: 'Say something and get the answer',
    description:
      'The modes `agent` and `work` allow tools unless `tools_allowed` is false, `chat` does not unless it is true; without a mode the words decide: tools are off for plain talk in English alone ("Tell me a joke"). `chat_id` is the session; the same id goes on with it. Requests of one chat are answered one after the other, so one waits while another waits for a permission: that one is answered by `/permission` or ended by `/cancel`. With `stream` the lines of the run come as server-sent events, at their end one `chat_reply` with what a request without `stream` is answered. A body with `model` and `messages` is one of Ollama\'s `/api/chat`, and is answered in its words.',
    tag: 'chat',
    body: {
      type: 'object',
      required: ['message'],
      additionalProperties: false,
      properties: {
        message: { type: 'string', minLength: 1 },
        mode: { enum: ['chat', 'agent', 'work'] },
        tools_allowed: { type: ['boolean', 'null'] },
        chat_id: ID,
        request_id: ID,
        stream: { type: 'boolean' },
        model: { type: 'string' },
      },
    },
    // Ollama's clients send their conversation to this path, with its pictures.
    maxBodyBytes: SERVER_LIMITS.messageBytes,
    instead(given) {
      if (isOfOllama(given)) return OLLAMA_CHAT_ROUTE;
      if (isOwn(given)) return undefined;
      throw new ApiError(400, 'invalid_request', NOBODYS);
    },
    responses: {
      200: { description: 'The answer.', schema: { oneOf: [REPLY, OLLAMA_REPLY] } },
      404: { description: 'The chat was removed while the request waited for its turn.' },
      409: { description: 'The request id is in use, or the chat is open in another halter.' },
    },
    async handle({ body, server }) {
      const chats = runsOf(server);
      const told = (reply: ChatReply): object => (server.halter.preset?.plainEvents ? withPlainEvents(reply) : reply);
      const request = {
        message: body.message,
        request_id: body.request_id ?? crypto.randomUUID(),
        mode: body.mode as 'chat' | 'agent' | 'work' | undefined,
        tools_allowed: body.tools_allowed as boolean | null | undefined,
        chat_id: body.chat_id,
        model: body.model,
      };
      if (body.stream !== true) {
        const reply = await chats.run(server, request);
        if (reply.exit_reason === 'model_unusable' && reply.answer === '') {
          throw new ApiError(503, reply.error?.name ?? 'model_unusable', problemText(reply.error));
        }
        return json(told(reply));
      }
      return sseResponse(
        (reader) => {
          let attended = true;
          const send = (line: { type: string; at: number }, id?: string): void =>
            reader.send(encoder.encode(frameOf(line, id)));
          chats
            .run(server, request, { line: send, attended: () => attended })
            .then(
              (reply) => send({ type: 'chat_reply', at: server.now(), ...told(reply) }),
              (error: unknown) => {
                if (!(error instanceof ApiError)) server.onDefect(error);
                const failed = error instanceof ApiError ? error : new ApiError(500, 'internal_error', DEFECT);
                send({ type: 'error', at: server.now(), ...failed.body().error });
              },
            )
            .finally(() => reader.end());
          return () => {
            attended = false;
            chats.left(request.request_id);
          };
        },
        server.signal,
        {
          lastWord: () =>
            encoder.encode(frameOf({ type: 'error', at: server.now(), ...tooSlow().body().error }, undefined)),
        },
      );
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/chat/:request_id/cancel',
    summary: 'Cancel a request, while it waits for its turn, between steps and inside a running tool',
    tag: 'chat',
    body: { type: 'object', properties: {} },
    bodyOptional: true,
    responses: {
      200: {
        description: 'It is being ended.',
        schema: { type: 'object', required: ['cancelled'], properties: { cancelled: { const: true } } },
      },
      404: { description: 'No such request is under way.' },
    },
    async handle({ params, server }) {
      const id = params['request_id'] ?? '';
      if (await runsOf(server).cancel(id)) return json({ cancelled: true });
      throw new ApiError(404, 'not_found', `No request ${id} is under way.`);
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/chat/:request_id/permission',
    summary: 'Answer what a request with `stream` asks',
    description:
      'The question is open as long as somebody reads the stream or the session; when the last reader leaves, the call is denied.',
    tag: 'chat',
    body: {
      type: 'object',
      required: ['tool_call_id', 'decision'],
      properties: { tool_call_id: { type: 'string' }, decision: DECISION, reason: { type: 'string' } },
    },
    responses: {
      200: {
        description: 'It was taken.',
        schema: { type: 'object', required: ['ok'], properties: { ok: { const: true } } },
      },
      404: { description: 'No such request is under way.' },
      409: { description: 'Nothing is asked about this call now.' },
    },
    async handle({ params, body, server }) {
      await runsOf(server).resolve(params['request_id'] ?? '', body.tool_call_id, body.decision, body.reason);
      return json({ ok: true });
    },
  }),
];

const DEFECT = 'This is a defect of halter.';
const encoder = new TextEncoder();
const problemText = (problem: { message: string; hint?: string } | undefined): string =>
  problem === undefined ? 'The model cannot be used.' : withHint(problem);
