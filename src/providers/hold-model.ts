/** Has a server that serves several models take one into memory or out of it, in the server's own words. */
import type { ModelError } from '../core/model-port.ts';
import type { ServerProviderName } from '../core/provider-names.ts';
import { type Fields, listOf, objectOf, textOf } from './json-values.ts';
import { PROVIDER_LIMITS } from './limits.ts';
import { type ErrorWords, withKnownModels } from './model-errors.ts';
import { openaiBaseUrl } from './openai/openai.ts';
import { listOpenAIModels } from './openai/openai-models.ts';
import { defaultSleep, type ProviderOptions } from './provider-options.ts';
import { askServer } from './server-information.ts';

export type HoldOptions = Pick<ProviderOptions, 'network' | 'apiKey' | 'keyIsFor' | 'sleep'> & {
  provider: ServerProviderName;
  baseUrl: string;
  model: string;
  /** In memory, or out of it. */
  wanted: 'loaded' | 'unloaded';
  signal: AbortSignal;
};
export type HoldOutcome = { ok: true } | { ok: false; error: ModelError };

type Ask = (path: string, body?: Fields) => ReturnType<typeof askServer>;

export const holdModel = async (options: HoldOptions): Promise<HoldOutcome> => {
  const { provider, baseUrl, model, wanted } = options;
  const root = (provider === 'ollama' ? baseUrl : openaiBaseUrl(baseUrl)).replace(/\/+$/, '').replace(/\/v1$/, '');
  const ask = asking(options, root);
  if (provider === 'ollama') {
    return outcomeOf(await ask('/api/generate', { model, ...(wanted === 'loaded' ? {} : { keep_alive: 0 }) }));
  }
  const list = await ask('/v1/models');
  if (!list.ok) return list;
  const entries = listOf(list.value['data']).map(objectOf);
  const entry = entries.find(({ id }) => id === model);
  if (entry === undefined) {
    const listed = { ok: true as const, models: listOpenAIModels(list.value) };
    return { ok: false, error: withKnownModels(NOT_FOUND, model, listed, wordsOf(options, root)) };
  }
  if (entry['owned_by'] === 'llama-swap') return holdInSwap(ask, model, wanted);
  const props = await ask('/props');
  if (props.ok && props.value['role'] === 'router') return holdInRouter(ask, options, entry);
  return refused('bad_request', `${root} loads and unloads no models by itself: it serves what it was started with.`);
};

const NOT_FOUND: ModelError = { code: 'model_not_found', message: '' };
const wordsOf = ({ apiKey, keyIsFor }: HoldOptions, root: string): ErrorWords => ({
  endpoint: root,
  startHint: 'Start the server, or name its address with --base-url.',
  apiKey,
  keyIsFor,
});

const asking = (options: HoldOptions, root: string): Ask => {
  const { network, apiKey, signal, model } = options;
  const words = wordsOf(options, root);
  const headers: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const timeoutMs = PROVIDER_LIMITS.modelSilenceTimeoutMs;
  return (path, body) =>
    askServer({ network }, words, {
      url: `${root}${path}`,
      headers,
      signal,
      timeoutMs,
      model,
      ...(body ? { body } : {}),
    });
};

const refused = (code: ModelError['code'], message: string): HoldOutcome => ({ ok: false, error: { code, message } });
const outcomeOf = (answer: Awaited<ReturnType<Ask>>): HoldOutcome => (answer.ok ? { ok: true } : answer);

/** It answers what a model says of itself when that is loaded. */
const holdInSwap = async (ask: Ask, model: string, wanted: HoldOptions['wanted']): Promise<HoldOutcome> => {
  const name = encodeURIComponent(model);
  if (wanted === 'loaded') return outcomeOf(await ask(`/upstream/${name}/v1/models`));
  const answer = await ask(`/api/models/unload/${name}`, {});
  // It says "OK", and that is no JSON.
  return answer.ok || answer.error.code === 'protocol' ? { ok: true } : answer;
};

/** It takes the wish at once, and its list says when it is done. */
const holdInRouter = async (ask: Ask, options: HoldOptions, entry: Fields): Promise<HoldOutcome> => {
  const { model, wanted, signal, sleep = defaultSleep } = options;
  const isSo = (status: string | undefined): boolean =>
    (status === 'loaded' || status === 'sleeping') === (wanted === 'loaded');
  const statusOf = (fields: Fields): string | undefined => textOf(objectOf(fields['status'])['value']);
  if (isSo(statusOf(entry)) && statusOf(entry) !== 'loading') return { ok: true };
  const asked = await ask(wanted === 'loaded' ? '/models/load' : '/models/unload', { model });
  if (!asked.ok) return asked;
  for (let poll = 0; poll < PROVIDER_LIMITS.modelLoadingPolls && !signal.aborted; poll += 1) {
    const list = await ask('/v1/models');
    if (!list.ok) return list;
    const now = listOf(list.value['data'])
      .map(objectOf)
      .find(({ id }) => id === model);
    if (objectOf(now?.['status'])['failed'] === true)
      return refused('load_failed', `The server could not load ${model}; its log says more.`);
    if (now !== undefined && statusOf(now) !== 'loading' && isSo(statusOf(now))) return { ok: true };
    await sleep(PROVIDER_LIMITS.modelLoadingPollMs, signal);
  }
  return refused(signal.aborted ? 'cancelled' : 'timeout', `${model} is not ${wanted} yet.`);
};
