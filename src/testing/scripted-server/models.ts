/** What the scripted server says of its models, in the words of each kind of server. */
import type { JsonObject } from '../../core/json.ts';

export type ScriptedModel = {
  id: string;
  /** The window of the model itself. Default 8,192. */
  context_length?: number;
  /** The window it runs with, where it is loaded. */
  loaded_context_length?: number;
  tools?: boolean;
  vision?: boolean;
  size_bytes?: number;
  chat_template?: string;
  /** Ollama's. */
  digest?: string;
  /** Ollama's text of a Modelfile's parameters. */
  parameters?: string;
};

/** Whose routes are there, besides the chat routes of both protocols. */
export type ServedRoutes = 'ollama' | 'openai' | 'llama-cpp' | 'lm-studio';

const windowOf = (model: ScriptedModel): number => model.context_length ?? 8_192;

const ollamaTags = (models: readonly ScriptedModel[]): JsonObject => ({
  models: models.map((model) => ({
    name: model.id,
    model: model.id,
    size: model.size_bytes ?? 4_000_000_000,
    ...(model.digest === undefined ? {} : { digest: model.digest }),
    details: { family: 'scripted', parameter_size: '1B' },
  })),
});

const ollamaRunning = (models: readonly ScriptedModel[]): JsonObject => ({
  models: models
    .filter((model) => model.loaded_context_length !== undefined)
    .map((model) => ({ name: model.id, model: model.id, context_length: model.loaded_context_length ?? 0 })),
});

const ollamaShow = (model: ScriptedModel): JsonObject => ({
  modelfile: '',
  ...(model.parameters === undefined ? {} : { parameters: model.parameters }),
  template: '{{ .Prompt }}',
  details: { family: 'scripted' },
  model_info: { 'general.architecture': 'scripted', 'scripted.context_length': windowOf(model) },
  capabilities: ['completion', ...(model.tools === false ? [] : ['tools']), ...(model.vision ? ['vision'] : [])],
});

const openaiModels = (models: readonly ScriptedModel[]): JsonObject => ({
  object: 'list',
  data: models.map((model) => ({
    id: model.id,
    object: 'model',
    created: 1,
    owned_by: 'scripted',
    max_model_len: windowOf(model),
    // llama.cpp's, which tells a model's size nowhere else.
    ...(model.size_bytes === undefined
      ? {}
      : { meta: { n_ctx: windowOf(model), n_ctx_train: windowOf(model), size: model.size_bytes } }),
  })),
});

const llamaCppProps = (model: ScriptedModel): JsonObject => ({
  default_generation_settings: { n_ctx: model.loaded_context_length ?? windowOf(model) },
  total_slots: 1,
  model_path: `/models/${model.id}.gguf`,
  chat_template:
    model.chat_template ??
    '{% if tools %}{{ tools | tojson }}{% endif %}{% for message in messages %}{{ message.content }}{% endfor %}',
  modalities: { vision: model.vision === true, audio: false },
});

const lmStudioModels = (models: readonly ScriptedModel[]): JsonObject => ({
  object: 'list',
  data: models.map((model) => ({
    id: model.id,
    object: 'model',
    type: model.vision ? 'vlm' : 'llm',
    state: model.loaded_context_length === undefined ? 'not-loaded' : 'loaded',
    max_context_length: windowOf(model),
    ...(model.loaded_context_length === undefined ? {} : { loaded_context_length: model.loaded_context_length }),
    ...(model.tools === false ? {} : { capabilities: ['tool_use'] }),
  })),
});

/** What stands at a path, for every route that tells of models; undefined where there is none. */
export const informationFor = (
  path: string,
  facts: { models: readonly ScriptedModel[]; serves: ReadonlySet<ServedRoutes>; asked: ScriptedModel | undefined },
): JsonObject | undefined => {
  const routes: Record<string, { of: ServedRoutes; answer: () => JsonObject | undefined }> = {
    '/api/version': { of: 'ollama', answer: () => ({ version: '0.30.0' }) },
    '/api/tags': { of: 'ollama', answer: () => ollamaTags(facts.models) },
    '/api/ps': { of: 'ollama', answer: () => ollamaRunning(facts.models) },
    '/api/show': { of: 'ollama', answer: () => facts.asked && ollamaShow(facts.asked) },
    '/v1/models': { of: 'openai', answer: () => openaiModels(facts.models) },
    '/props': { of: 'llama-cpp', answer: () => facts.models[0] && llamaCppProps(facts.models[0]) },
    '/health': { of: 'llama-cpp', answer: () => ({ status: 'ok' }) },
    '/api/v0/models': { of: 'lm-studio', answer: () => lmStudioModels(facts.models) },
  };
  const route = routes[path];
  return route && facts.serves.has(route.of) ? route.answer() : undefined;
};
