/** The window of a model, out of all the places where OpenAI-compatible servers say it. */
import { isObject } from '../../core/json.ts';
import type { ModelInfo } from '../../core/model-port.ts';
import { countOf, type Fields, listOf, objectOf, textOf, windowOf } from '../json-values.ts';

/** Fields of an entry of `/v1/models` that hold the window the server runs with. */
const WINDOW_FIELDS = ['max_model_len', 'context_length', 'context_window', 'max_context_length', 'n_ctx'] as const;

const windowOfEntry = (entry: Fields): number | undefined => {
  // llama.cpp's `meta.n_ctx_train` is what the model was trained for, not what it runs with.
  for (const fields of [entry, objectOf(entry['meta'])]) {
    for (const name of WINDOW_FIELDS) {
      const window = windowOf(fields[name]);
      if (window !== undefined) return window;
    }
  }
  return undefined;
};

const capabilitiesOf = (entry: Fields): Pick<ModelInfo, 'tools' | 'vision'> => {
  const list = [...listOf(entry['capabilities']), ...listOf(entry['supported_parameters'])];
  const named = isObject(entry['capabilities']) ? entry['capabilities'] : {};
  const modalities = listOf(objectOf(entry['architecture'])['input_modalities']);
  const tools =
    list.some((word) => word === 'tools' || word === 'tool_use' || word === 'tool-use') ||
    named['function_calling'] === true;
  // A list of what a model can do may leave out what its server does for every model; these two leave nothing out.
  const isWithout = listOf(entry['supported_parameters']).length > 0 || named['function_calling'] === false;
  const vision =
    list.some((word) => word === 'vision' || word === 'multimodal') ||
    named['vision'] === true ||
    modalities.includes('image');
  return { ...(tools || isWithout ? { tools } : {}), ...(vision ? { vision } : {}) };
};

export const listOpenAIModels = (answer: Fields): ModelInfo[] =>
  // Some servers answer with the list under `models`, or with both.
  (listOf(answer['data']).length > 0 ? listOf(answer['data']) : listOf(answer['models']))
    .map(objectOf)
    .flatMap((entry) => {
      const id = textOf(entry['id']) ?? textOf(entry['name']) ?? textOf(entry['model']);
      if (id === undefined) return [];
      const window = windowOfEntry(entry);
      const size = countOf(objectOf(entry['meta'])['size']);
      const status = textOf(objectOf(entry['status'])['value']);
      const aliases = listOf(entry['aliases']).filter((name) => typeof name === 'string' && name !== id) as string[];
      return [
        {
          id,
          ...(aliases.length === 0 ? {} : { aliases }),
          ...(window === undefined ? {} : { context_length: window }),
          ...(size === undefined ? {} : { size_bytes: size }),
          ...capabilitiesOf(entry),
          // llama.cpp's router and llama-swap; one that sleeps wakes by itself.
          ...(status === undefined ? {} : { loaded: status === 'loaded' || status === 'sleeping' }),
        },
      ];
    });

/**
 * Where a server of several models tells what llama.cpp says of one: its router, and llama-swap. Both load the model for
 * that. Undefined: what `/props` says is about the one model that is served.
 */
export const propsPathOf = (props: Fields, list: Fields, model: string): string | undefined => {
  const name = encodeURIComponent(model);
  if (props['role'] === 'router') return `/props?model=${name}`;
  const isSwapped = listOf(list['data'])
    .map(objectOf)
    .some((entry) => entry['id'] === model && entry['owned_by'] === 'llama-swap');
  return isSwapped ? `/upstream/${name}/props` : undefined;
};

/** llama.cpp's `/props`: what it runs with, and the model's own template. */
export const fromLlamaCppProps = (props: Fields): Partial<ModelInfo> => {
  const window = windowOf(objectOf(props['default_generation_settings'])['n_ctx']) ?? windowOf(props['n_ctx']);
  const template = textOf(props['chat_template']);
  const modalities = objectOf(props['modalities']);
  const capabilities = objectOf(props['chat_template_caps']);
  const tools = capabilities['supports_tools'] ?? capabilities['supports_tool_calls'];
  return {
    ...(window === undefined ? {} : { context_length: window }),
    ...(template === undefined || template === '' ? {} : { chat_template: template }),
    ...(typeof modalities['vision'] === 'boolean' ? { vision: modalities['vision'] } : {}),
    ...(typeof tools === 'boolean' ? { tools } : {}),
  };
};

/** LM Studio's `/api/v0/models`: the window is known only of a model that is loaded. */
export const fromLmStudio = (answer: Fields, model: string): Partial<ModelInfo> => {
  const entry = listOf(answer['data'])
    .map(objectOf)
    .find((candidate) => candidate['id'] === model);
  if (!entry) return {};
  const type = textOf(entry['type']);
  const state = textOf(entry['state']);
  const loaded = state === 'loaded';
  const window = loaded ? windowOf(entry['loaded_context_length']) : undefined;
  const capabilities = listOf(entry['capabilities']);
  return {
    ...(window === undefined ? {} : { context_length: window }),
    ...(capabilities.includes('tool_use') ? { tools: true } : {}),
    // Other servers answer here with a plain list of models, which says neither.
    ...(type === undefined ? {} : { vision: type === 'vlm' }),
    ...(state === undefined ? {} : { loaded }),
  };
};

/** LM Studio's `/api/v1/models`: what a model is that no list of abilities says calls tools. */
export const fromLmStudioNow = (answer: Fields, model: string): Partial<ModelInfo> => {
  const entry = listOf(answer['models'])
    .map(objectOf)
    .find((candidate) => candidate['key'] === model);
  const tools = objectOf(entry?.['capabilities'])['trained_for_tool_use'];
  const size = countOf(entry?.['size_bytes']);
  return {
    ...(typeof tools === 'boolean' ? { tools } : {}),
    ...(size === undefined ? {} : { size_bytes: size }),
  };
};
