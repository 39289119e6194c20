/** Other people's clients, with their own tools, over any local model. Nothing of halter's own runs here. */
import type { JsonObject } from '../../core/json.ts';
import { fromModelError, GatewayError } from '../../gateway/error.ts';
import { NO_EARLIER_ANSWERS } from '../../gateway/kept-responses.ts';
import { promptTokens } from '../../gateway/usage.ts';
import type { Wire } from '../../gateway/wire.ts';
import { chatCompletions } from '../../gateway/wires/chat-completions/wire.ts';
import { messages } from '../../gateway/wires/messages/wire.ts';
import { ollamaChat, ollamaGenerate } from '../../gateway/wires/ollama/wire.ts';
import { responses } from '../../gateway/wires/responses/wire.ts';
import { withNull } from '../gateway/absent-fields.ts';
import { answerWire, gatewayOf, openModel } from '../gateway/answer.ts';
import { embedTexts } from '../gateway/embed.ts';
import { hasName, listedModels, modelsForm } from '../gateway/listed-models.ts';
import { SERVER_LIMITS } from '../limits.ts';
import { defineRoute, type ErrorShape, json, type Route } from '../route.ts';

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

const wireRoute = (
  wire: Wire,
  {
    path,
    summary,
    description,
    tag,
    errors,
  }: { path: string; summary: string; description: string; tag: string; errors: ErrorShape },
): Route =>
  defineRoute({
    method: 'POST',
    path,
    summary,
    description,
    tag,
    errors,
    maxBodyBytes: SERVER_LIMITS.messageBytes,
    body: withNull(wire.body),
    responses: {
      200: { description: 'The answer, whole or as a stream.', schema: { type: 'object' } },
      404: { description: 'There is no such model.' },
      502: { description: 'The model gave nothing that fits what was asked for.' },
    },
    handle: ({ body, server, request, signal }) =>
      answerWire({ wire, body: body as JsonObject, server, request, signal }),
  });

const REPAIRED =
  "The caller's tools alone are offered, and none runs here. Calls that a model writes as text come as calls of the API; their arguments fit their schema where that can be had: repaired, asked for again, or decoded under the schema.";

/** Ollama's `POST /api/chat`, which shares its path with halter's own: a body with `messages` is Ollama's. */
export const OLLAMA_CHAT_ROUTE = wireRoute(ollamaChat, {
  path: '/api/chat',
  summary: "Complete a conversation, in the words of Ollama's API",
  description: REPAIRED,
  tag: 'ollama',
  errors: 'ollama',
});

export const GATEWAY_ROUTES: readonly Route[] = [
  wireRoute(chatCompletions, {
    path: '/v1/chat/completions',
    summary: "Complete a conversation, in the words of OpenAI's API",
    description: `${REPAIRED} With \`stream\` chunks come as server-sent events, then \`[DONE]\`.`,
    tag: 'openai',
    errors: 'openai',
  }),
  wireRoute(responses, {
    path: '/v1/responses',
    summary: "Complete a conversation, in the words of OpenAI's Responses API",
    description: `${REPAIRED} An answer is kept in memory for an hour, for \`previous_response_id\`.`,
    tag: 'openai',
    errors: 'openai',
  }),
  wireRoute(messages, {
    path: '/v1/messages',
    summary: "Complete a conversation, in the words of Anthropic's API",
    description: `${REPAIRED} The token may stand in \`x-api-key\`.`,
    tag: 'anthropic',
    errors: 'anthropic',
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/messages/count_tokens',
    summary: 'Count the tokens of a conversation',
    description: "By the model's own tokenizer where its server has one, else an estimate.",
    tag: 'anthropic',
    errors: 'anthropic',
    maxBodyBytes: SERVER_LIMITS.messageBytes,
    body: withNull(messages.body),
    responses: {
      200: {
        description: 'The count.',
        schema: { type: 'object', required: ['input_tokens'], properties: { input_tokens: { type: 'integer' } } },
      },
    },
    async handle({ body, server, signal }) {
      const request = messages.read(body as JsonObject, NO_EARLIER_ANSWERS);
      const chosen = await openModel(server, request.model, signal);
      if (!chosen.ok) throw fromModelError(chosen.error);
      const { provider, model } = chosen.value;
      const counted = await provider.countTokens?.({ model, messages: request.messages, tools: request.tools }, signal);
      const estimate = promptTokens(request.messages, request.tools);
      return json({ input_tokens: counted ?? estimate });
    },
  }),
  wireRoute(ollamaGenerate, {
    path: '/api/generate',
    summary: "Complete a prompt, in the words of Ollama's API",
    description: 'Without `suffix`, `raw` and `template`.',
    tag: 'ollama',
    errors: 'ollama',
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
            { type: 'array', minItems: 1, maxItems: SERVER_LIMITS.embeddingTexts, items: { type: 'string' } },
          ],
        },
        encoding_format: { enum: ['float', 'base64', null] },
        dimensions: { type: ['integer', 'null'], minimum: 1 },
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
      const texts = typeof body.input === 'string' ? [body.input] : body.input;
      const { vectors, prompt_tokens } = await embedTexts({
        server,
        model: body.model,
        texts,
        dimensions: body.dimensions,
        signal,
      });
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
        description:
          "The models, and the other names that requests may give. In Anthropic's words where its version is named.",
        schema: {
          type: 'object',
          required: ['data'],
          properties: { data: { type: 'array', items: { type: 'object', required: ['id'] } } },
        },
      },
    },
    async handle({ request, server, signal }) {
      const form = modelsForm(request);
      const listed = await listedModels(server.halter, signal);
      return json(form.all(listed.map((model) => form.one(model, server.startedAt))));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/models/:id',
    pattern: '/v1/models/:id{.+}',
    summary: 'One model',
    tag: 'openai',
    errors: 'openai',
    responses: {
      200: { description: 'The model.', schema: { type: 'object' } },
      404: { description: 'There is no such model.', schema: OPENAI_ERROR },
    },
    async handle({ params, request, server, signal }) {
      const id = params['id'] ?? '';
      const found = (await listedModels(server.halter, signal)).find((model) => hasName(model, id));
      if (found === undefined)
        throw new GatewayError(404, 'model_not_found', `There is no model ${JSON.stringify(id)}.`);
      return json(modelsForm(request).one({ ...found, id }, server.startedAt));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/gateway/clients',
    summary: 'What each client of the gateway cost, and what was repaired for it, since the server began',
    tag: 'system',
    responses: {
      200: {
        description: 'The newest first.',
        schema: {
          type: 'object',
          required: ['clients'],
          properties: { clients: { type: 'array', items: { type: 'object' } } },
        },
      },
    },
    handle: ({ server }) => json({ clients: gatewayOf(server).clients.list() }),
  }),
];
