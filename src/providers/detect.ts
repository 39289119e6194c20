/** Which model servers run on this machine, asked quickly and all at once. */
import { isObject } from '../core/json.ts';
import { LOADING } from '../core/model-port.ts';
import type { Network } from '../core/ports.ts';
import type { ServerProviderName } from '../core/provider-names.ts';
import { type Fields, listOf, objectOf, textOf } from './json-values.ts';
import { PROVIDER_LIMITS } from './limits.ts';
import { LLAMA_CPP_URL } from './llama-cpp/llama-cpp.ts';
import { OLLAMA_URL } from './ollama/ollama.ts';
import { listModels } from './ollama/ollama-models.ts';
import { OPENAI_URL } from './openai/openai.ts';
import { listOpenAIModels } from './openai/openai-models.ts';
import { askServer } from './server-information.ts';

export type UsualEndpoint = {
  /** What a person calls it. */
  title: 'Ollama' | 'llama.cpp' | 'LM Studio' | 'vLLM';
  provider: 'ollama' | 'llama-cpp' | 'openai';
  /** What the provider is given. */
  baseUrl: string;
};

export type FoundEndpoint = UsualEndpoint & {
  /** What it offers, the loaded ones first. */
  models: string[];
  /** It loads its model, and says nothing more until that is done. */
  loading?: true;
};

const OLLAMA_PORT = '11434';

/** OLLAMA_HOST as Ollama itself reads it: a host, a port, both, or a URL; every address means this machine. */
export const ollamaUrlFrom = (host: string | undefined): string => {
  const text = (host ?? '').trim().replace(/^["']|["']$/g, '');
  if (text === '') return OLLAMA_URL;
  const withScheme = /^https?:\/\//i.test(text) ? text : `http://${text.startsWith(':') ? `127.0.0.1${text}` : text}`;
  const url = URL.parse(withScheme);
  if (!url) return OLLAMA_URL;
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1';
  // With a scheme its own port is meant; without one, Ollama's.
  if (url.port === '' && !/^https?:\/\//i.test(text) && !/:80$/.test(text)) url.port = OLLAMA_PORT;
  return url.href.replace(/\/+$/, '');
};

/** Where a provider looks for its server when nobody names an address. */
export const usualAddress = (
  provider: ServerProviderName,
  environment: Readonly<Record<string, string | undefined>>,
): string => {
  switch (provider) {
    case 'ollama':
      return ollamaUrlFrom(environment['OLLAMA_HOST']);
    case 'llama-cpp':
      return LLAMA_CPP_URL;
    case 'openai':
      return OPENAI_URL;
  }
};

/** In the order in which they are taken. */
export const usualEndpoints = (
  environment: Readonly<Record<string, string | undefined>> = {},
): readonly UsualEndpoint[] => [
  { title: 'Ollama', provider: 'ollama', baseUrl: ollamaUrlFrom(environment['OLLAMA_HOST']) },
  { title: 'llama.cpp', provider: 'llama-cpp', baseUrl: LLAMA_CPP_URL },
  { title: 'LM Studio', provider: 'openai', baseUrl: 'http://127.0.0.1:1234/v1' },
  { title: 'vLLM', provider: 'openai', baseUrl: OPENAI_URL },
];

/** Routes that only this kind of server has: another program may use the same port. */
const probe = async (
  network: Network,
  endpoint: UsualEndpoint,
  signal: AbortSignal,
): Promise<FoundEndpoint | undefined> => {
  const root = endpoint.baseUrl.replace(/\/v1$/, '');
  const question = (path: string): ReturnType<typeof askServer> =>
    askServer(
      { network },
      { endpoint: root, startHint: '' },
      { url: `${root}${path}`, signal, timeoutMs: PROVIDER_LIMITS.probeTimeoutMs },
    );
  const ask = async (path: string): Promise<Fields | undefined> => {
    const answer = await question(path);
    return answer.ok ? answer.value : undefined;
  };
  switch (endpoint.title) {
    case 'Ollama': {
      const [tags, running] = await Promise.all([ask('/api/tags'), ask('/api/ps')]);
      if (!tags || !Array.isArray(tags['models'])) return undefined;
      const models = listModels(tags, running ?? {});
      models.sort((one, other) => Number(other.loaded) - Number(one.loaded));
      return { ...endpoint, models: models.map((model) => model.id) };
    }
    case 'llama.cpp': {
      const [props, list] = await Promise.all([question('/props'), ask('/v1/models')]);
      if (!props.ok && props.error.reason === LOADING) return { ...endpoint, models: [], loading: true };
      if (!props.ok || !isObject(props.value['default_generation_settings'])) return undefined;
      const models = listOpenAIModels(list ?? {});
      models.sort((one, other) => Number(other.loaded ?? false) - Number(one.loaded ?? false));
      return { ...endpoint, models: models.map((model) => model.id) };
    }
    case 'LM Studio': {
      const list = await ask('/api/v0/models');
      const entries = listOf(list?.['data'])
        .map(objectOf)
        .filter((entry) => entry['type'] !== 'embeddings');
      if (!list || !Array.isArray(list['data'])) return undefined;
      entries.sort((one, other) => Number(other['state'] === 'loaded') - Number(one['state'] === 'loaded'));
      return { ...endpoint, models: entries.flatMap((entry) => textOf(entry['id']) ?? []) };
    }
    case 'vLLM': {
      const list = await ask('/v1/models');
      if (!list || !Array.isArray(list['data'])) return undefined;
      return { ...endpoint, models: listOpenAIModels(list).map((model) => model.id) };
    }
  }
};

/** Those that answer, in the usual order. */
export const detectEndpoints = async (
  network: Network,
  signal: AbortSignal,
  endpoints: readonly UsualEndpoint[] = usualEndpoints(),
): Promise<FoundEndpoint[]> => {
  const found = await Promise.all(endpoints.map((endpoint) => probe(network, endpoint, signal)));
  return found.filter((endpoint) => endpoint !== undefined);
};
