/** What Ollama's clients ask besides answers: which models there are, which run, and vectors of texts. */
import type { JsonObject } from '../../core/json.ts';
import { fromModelError } from '../../gateway/error.ts';
import { openModel } from '../gateway/answer.ts';
import { embedTexts } from '../gateway/embed.ts';
import { listedModels, type NamedModel } from '../gateway/listed-models.ts';
import { SERVER_LIMITS } from '../limits.ts';
import { defineRoute, json, type Route } from '../route.ts';

const OLLAMA = { tag: 'ollama', errors: 'ollama' } as const;
/** The version of Ollama whose API this is, for clients that want at least some version. */
const SPOKEN_VERSION = '0.12.0';

const wireModel = ({ id, provider, info }: NamedModel, startedAt: number): JsonObject => ({
  name: id,
  model: id,
  modified_at: new Date(startedAt).toISOString(),
  size: info.size_bytes ?? 0,
  digest: info.digest ?? '',
  details: { format: 'gguf', family: provider, families: [provider], parameter_size: '', quantization_level: '' },
});

export const OLLAMA_ROUTES: readonly Route[] = [
  defineRoute({
    ...OLLAMA,
    method: 'GET',
    path: '/api/tags',
    summary: "The models of every provider, in the words of Ollama's API",
    responses: { 200: { description: 'The models.', schema: { type: 'object' } } },
    async handle({ server, signal }) {
      const listed = await listedModels(server.halter, signal);
      return json({ models: listed.map((entry) => wireModel(entry, server.startedAt)) });
    },
  }),
  defineRoute({
    ...OLLAMA,
    method: 'GET',
    path: '/api/ps',
    summary: "The models that are loaded, in the words of Ollama's API",
    responses: { 200: { description: 'The models.', schema: { type: 'object' } } },
    async handle({ server, signal }) {
      const listed = await server.halter.models.list(signal);
      return json({
        models: listed
          .filter(({ info }) => info.loaded)
          .map((entry) => ({ ...wireModel(entry, server.startedAt), context_length: entry.info.context_length ?? 0 })),
      });
    },
  }),
  defineRoute({
    ...OLLAMA,
    method: 'POST',
    path: '/api/show',
    summary: "One model in detail, in the words of Ollama's API",
    body: {
      type: 'object',
      properties: { model: { type: 'string' }, name: { type: 'string' } },
      additionalProperties: true,
    },
    responses: { 200: { description: 'The model.', schema: { type: 'object' } } },
    async handle({ body, server, signal }) {
      const name = body.model ?? body.name ?? '';
      const chosen = await openModel(server, name, signal);
      if (!chosen.ok) throw fromModelError(chosen.error);
      const { info, provider } = chosen.value;
      const capabilities = ['completion', 'tools', ...(info.vision ? ['vision'] : [])];
      return json({
        modelfile: '',
        parameters: '',
        template: info.chat_template ?? '',
        details: {
          format: 'gguf',
          family: provider.name,
          families: [provider.name],
          parameter_size: '',
          quantization_level: '',
        },
        // Clients look for the window behind the name of the kind.
        model_info: {
          'general.architecture': provider.name,
          ...(info.context_length === undefined
            ? {}
            : {
                'general.context_length': info.context_length,
                [`${provider.name}.context_length`]: info.context_length,
              }),
        },
        capabilities,
      });
    },
  }),
  defineRoute({
    ...OLLAMA,
    method: 'POST',
    path: '/api/embed',
    summary: "Texts into vectors, in the words of Ollama's API",
    maxBodyBytes: SERVER_LIMITS.messageBytes,
    body: {
      type: 'object',
      required: ['model', 'input'],
      properties: {
        model: { type: 'string' },
        input: {
          oneOf: [
            { type: 'string' },
            { type: 'array', maxItems: SERVER_LIMITS.embeddingTexts, items: { type: 'string' } },
          ],
        },
        dimensions: { type: ['integer', 'null'], minimum: 1 },
      },
      additionalProperties: true,
    },
    responses: { 200: { description: 'One vector for each text.', schema: { type: 'object' } } },
    async handle({ body, server, signal }) {
      const texts = typeof body.input === 'string' ? [body.input] : body.input;
      const made = await embedTexts({ server, model: body.model, texts, dimensions: body.dimensions, signal });
      return json({ model: body.model, embeddings: made.vectors, prompt_eval_count: made.prompt_tokens });
    },
  }),
  defineRoute({
    ...OLLAMA,
    method: 'POST',
    path: '/api/embeddings',
    summary: "One text into a vector, in the older words of Ollama's API",
    maxBodyBytes: SERVER_LIMITS.messageBytes,
    body: {
      type: 'object',
      required: ['model'],
      properties: { model: { type: 'string' }, prompt: { type: ['string', 'null'] } },
      additionalProperties: true,
    },
    responses: { 200: { description: 'The vector, empty for no text.', schema: { type: 'object' } } },
    async handle({ body, server, signal }) {
      // Without a text clients have the model loaded.
      const texts = (body.prompt ?? '') === '' ? [] : [String(body.prompt)];
      const { vectors } = await embedTexts({ server, model: body.model, texts, signal });
      return json({ embedding: vectors[0] ?? [] });
    },
  }),
  defineRoute({
    ...OLLAMA,
    method: 'GET',
    path: '/api/version',
    summary: "The version of Ollama's API that is spoken here",
    responses: { 200: { description: 'The version.', schema: { type: 'object' } } },
    handle: () => json({ version: SPOKEN_VERSION }),
  }),
];
