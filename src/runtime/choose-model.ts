/** The model of a run: opened once, at its first need, and described by whoever serves it. */
import { join } from 'node:path';
import type { ModelError, ModelInfo, ModelProvider } from '../core/model-port.ts';
import { type Outcome, succeed } from '../core/outcome.ts';
import type { HalterPaths } from '../storage/paths.ts';
import type { AssembleOptions } from './assemble-options.ts';
import { systemClock } from './clock.ts';
import { type OpenProviderOptions, openProvider } from './open-provider.ts';

export type ChosenModel = { provider: ModelProvider; model: string; info: ModelInfo };
export const chooseModel = async (
  options: AssembleOptions,
  parts: Pick<OpenProviderOptions, 'network' | 'processes'> & { paths: HalterPaths },
): Promise<Outcome<ChosenModel, ModelError>> => {
  const signal = options.signal ?? new AbortController().signal;
  if (options.modelProvider) {
    const model = options.model ?? 'model';
    const described = await options.modelProvider.describe(model, signal);
    return described.ok
      ? succeed({ provider: options.modelProvider, model, info: described.model })
      : { ok: false, error: described.error };
  }
  const apiKey = options.apiKeyEnv === undefined ? undefined : options.environment[options.apiKeyEnv];
  if (options.apiKeyEnv !== undefined && apiKey === undefined) {
    return {
      ok: false,
      error: { code: 'unauthorized', message: `The environment has no variable ${options.apiKeyEnv}.` },
    };
  }
  const opened = await openProvider({
    network: parts.network,
    processes: parts.processes,
    clock: systemClock,
    environment: options.environment,
    modelsFolder: join(parts.paths.data, 'models'),
    offline: options.offline ?? false,
    signal,
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.provider === undefined ? {} : { provider: options.provider }),
    ...(options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(options.contextLength === undefined ? {} : { contextTokens: options.contextLength }),
    ...(options.silenceTimeoutMs === undefined ? {} : { silenceTimeoutMs: options.silenceTimeoutMs }),
    ...(options.onLoading ? { onLoading: options.onLoading } : {}),
  });
  if (!opened.ok) return opened;
  const { provider, model } = opened.value;
  const described = await provider.describe(model, signal);
  if (!described.ok) {
    await provider.close();
    return { ok: false, error: described.error };
  }
  return succeed({ provider, model, info: described.model });
};
