/** B2: other people's clients, with their own tools, over any local model. Nothing of halter's own runs here. */
import { LIMITS } from '../../core/limits.ts';
import type { CompletionPart } from '../../gateway/ask-model.ts';
import { complete } from '../../gateway/complete.ts';
import { ApiError, fromModelError, tooSlow } from '../api-error.ts';
import { SERVER_LIMITS } from '../limits.ts';
import { chunk, completionObject, lastChunks, type ReplyHead } from '../openai/completion-reply.ts';
import { COMPLETION_BODY, readRequest } from '../openai/completion-request.ts';
import { openAiErrorBody } from '../openai/error.ts';
import { defineRoute, json, type Route } from '../route.ts';
import { sseResponse } from '../sse.ts';

const OPENAI_ERROR = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'type'],
      properties: {
        message: { type: 'string' },
        type: { type: 'string' },
        param: { type: ['string', 'null'] },
        code: { type: ['string', 'null'] },
      },
    },
  },
};

export const OPENAI_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/chat/completions',
    summary: "Complete a conversation, in the words of OpenAI's API",
    description:
      "The caller's tools alone are offered, and none runs here. Calls that a model writes as text come as `tool_calls`; arguments fit their schema where that can be had: mended, asked for again, or decoded under the schema.",
    tag: 'openai',
    errors: 'openai',
    maxBodyBytes: SERVER_LIMITS.messageBytes,
    body: COMPLETION_BODY,
    responses: {
      200: {
        description: 'The completion; with `stream` chunks as server-sent events, then `[DONE]`.',
        schema: {
          type: 'object',
          required: ['id', 'object', 'created', 'model', 'choices', 'usage'],
          properties: {
            id: { type: 'string' },
            object: { const: 'chat.completion' },
            created: { type: 'integer' },
            model: { type: 'string' },
            choices: { type: 'array', items: { type: 'object' } },
            usage: { type: 'object' },
          },
        },
      },
      404: { description: 'There is no such model.', schema: OPENAI_ERROR },
    },
    async handle({ body, server, signal }) {
      const request = readRequest(body);
      const chosen = await server.halter.models.open(body.model);
      if (!chosen.ok) throw fromModelError(chosen.error);
      const head: ReplyHead = {
        id: `chatcmpl-${crypto.randomUUID()}`,
        created: Math.floor(server.now() / 1000),
        model: body.model,
      };
      const wanted = { ...request, chosen: chosen.value };
      if (body.stream !== true) {
        const done = await untilEither([signal, server.signal], (either) =>
          complete({ ...wanted, whole: true, signal: either }, () => {}),
        );
        if (!done.ok) throw fromModelError(done.error);
        return json(completionObject(head, done.value));
      }
      const options = body.stream_options as { include_usage?: boolean } | null | undefined;
      return sseResponse(
        (reader) => {
          const gone = new AbortController();
          let isOver = false;
          const send = (value: object | string): void =>
            reader.send(encoder.encode(`data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`));
          const deltas = mergeDeltas((delta) => send(chunk(head, delta)));
          send(chunk(head, { role: 'assistant', content: '' }));
          complete({ ...wanted, signal: gone.signal }, deltas.add)
            .then(
              (done) => {
                deltas.flush();
                if (done.ok)
                  for (const last of lastChunks(head, done.value, options?.include_usage === true)) send(last);
                else send(openAiErrorBody(fromModelError(done.error)));
              },
              (error: unknown) => {
                server.onDefect(error);
                send(openAiErrorBody(new ApiError(500, 'internal_error', 'This is a defect of halter.')));
              },
            )
            .finally(() => {
              isOver = true;
              send('[DONE]');
              reader.end();
            });
          return () => {
            deltas.drop();
            if (!isOver) gone.abort();
          };
        },
        server.signal,
        { lastWord: encoder.encode(`data: ${JSON.stringify(openAiErrorBody(tooSlow()))}\n\n`) },
      );
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/embeddings',
    summary: "Texts into vectors, where the model's server can",
    tag: 'openai',
    errors: 'openai',
    maxBodyBytes: SERVER_LIMITS.messageBytes,
    body: {
      type: 'object',
      required: ['model', 'input'],
      properties: {
        model: { type: 'string' },
        input: {
          oneOf: [
            { type: 'string', minLength: 1 },
            { type: 'array', minItems: 1, maxItems: LIMITS.embeddingTexts, items: { type: 'string' } },
          ],
        },
        encoding_format: { enum: ['float', 'base64'] },
      },
    },
    responses: {
      200: {
        description: 'One vector for each text.',
        schema: {
          type: 'object',
          required: ['object', 'data', 'model', 'usage'],
          properties: {
            object: { const: 'list' },
            data: { type: 'array', items: { type: 'object' } },
            model: { type: 'string' },
            usage: { type: 'object' },
          },
        },
      },
      501: { description: "The model's server has none.", schema: OPENAI_ERROR },
    },
    async handle({ body, server, signal }) {
      const chosen = await server.halter.models.open(body.model);
      if (!chosen.ok) throw fromModelError(chosen.error);
      const { provider, model } = chosen.value;
      const texts = typeof body.input === 'string' ? [body.input] : body.input;
      if (provider.embed === undefined) {
        throw new ApiError(501, 'embeddings_unsupported', `${provider.name} makes no embeddings.`);
      }
      const made = await provider.embed({ model, texts }, signal);
      if (!made.ok) throw fromModelError(made.error);
      const { vectors, prompt_tokens } = made;
      const base64 = body.encoding_format === 'base64';
      return json({
        object: 'list',
        data: vectors.map((vector, index) => ({
          object: 'embedding',
          index,
          embedding: base64 ? Buffer.from(new Float32Array(vector).buffer).toString('base64') : vector,
        })),
        model: body.model,
        usage: { prompt_tokens, total_tokens: prompt_tokens },
      });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/models',
    summary: 'The models of every provider',
    tag: 'openai',
    errors: 'openai',
    responses: {
      200: {
        description: 'The models.',
        schema: {
          type: 'object',
          required: ['object', 'data'],
          properties: {
            object: { const: 'list' },
            data: {
              type: 'array',
              items: {
                type: 'object',
                required: ['id', 'object', 'created', 'owned_by'],
                properties: {
                  id: { type: 'string' },
                  object: { const: 'model' },
                  created: { type: 'integer' },
                  owned_by: { type: 'string' },
                },
              },
            },
          },
        },
      },
    },
    async handle({ server, signal }) {
      const listed = await server.halter.models.list(signal);
      const created = Math.floor(server.startedAt / 1000);
      return json({
        object: 'list',
        data: listed.map(({ id, provider, info }) => ({
          id,
          object: 'model',
          created,
          owned_by: provider,
          ...(info.context_length === undefined ? {} : { context_length: info.context_length }),
        })),
      });
    },
  }),
];

/** `AbortSignal.any` leaves something behind on a signal that lives as long as the server. */
const untilEither = async <T>(
  signals: readonly AbortSignal[],
  work: (either: AbortSignal) => Promise<T>,
): Promise<T> => {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  for (const signal of signals) {
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
  }
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', abort);
  }
};

/** The first words go out at once; those that come right after others go out together. */
const mergeDeltas = (send: (delta: object) => void) => {
  let kind: CompletionPart['type'] = 'text';
  let text = '';
  let soon: NodeJS.Immediate | undefined;
  let resting: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearImmediate(soon);
    soon = undefined;
    if (text === '') return;
    send(kind === 'text' ? { content: text } : { reasoning_content: text });
    text = '';
    resting ??= setTimeout(() => {
      resting = undefined;
      flush();
    }, SERVER_LIMITS.mergeMs);
  };
  const drop = (): void => {
    clearImmediate(soon);
    clearTimeout(resting);
  };
  return {
    /** All that is left, at the end. */
    flush() {
      flush();
      drop();
    },
    add({ type, delta }: CompletionPart): void {
      if (type !== kind) flush();
      kind = type;
      text += delta;
      if (resting === undefined) soon ??= setImmediate(flush);
    },
    drop,
  };
};

const encoder = new TextEncoder();
