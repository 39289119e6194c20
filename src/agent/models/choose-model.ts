/** The model of a run: opened once, at its first need, and described by whoever serves it. */
import { join } from 'node:path';
import type { ModelError, ModelInfo, ModelProvider } from '../../core/model-port.ts';
import { keyOf, type ModelProfile, windowWith } from '../../core/model-profile.ts';
import { type Outcome, succeed } from '../../core/outcome.ts';
import { systemClock } from '../../io/clock.ts';
import { createModelProfiles } from '../../storage/model-profiles.ts';
import { type ModelSpeeds, openModelSpeeds } from '../../storage/model-speeds.ts';
import type { HalterPaths } from '../../storage/paths.ts';
import type { AgentOptions } from '../create-agent/options.ts';
import { readApiKey } from './api-key.ts';
import { type OpenProviderOptions, openProvider } from './open-provider.ts';

export type ChosenModel = {
  provider: ModelProvider;
  model: string;
  /** As the server describes it, with the window that was found where that is smaller. */
  info: ModelInfo;
  /** What probing it found out. */
  profile?: ModelProfile;
  speeds?: ModelSpeeds;
};
export const chooseModel = async (
  options: AgentOptions,
  parts: Pick<OpenProviderOptions, 'network' | 'processes'> & { paths: HalterPaths },
): Promise<Outcome<ChosenModel, ModelError>> => {
  const signal = options.signal ?? new AbortController().signal;
  if (options.modelProvider) {
    const model = options.model ?? 'model';
    const described = await options.modelProvider.describe(model, signal);
    return described.ok
      ? succeed(
          await withWhatIsKnown(options, parts.paths, {
            provider: options.modelProvider,
            model,
            info: described.model,
          }),
        )
      : { ok: false, error: described.error };
  }
  const key = await readApiKey(options, parts.processes);
  if (!key.ok) return key;
  const apiKey = key.value;
  const opened = await openProvider({
    network: parts.network,
    processes: parts.processes,
    clock: systemClock,
    environment: options.environment,
    modelsFolder: join(parts.paths.data, 'models'),
    offline: options.offline ?? false,
    signal,
    ...(options.plugins ? { more: options.plugins.providers } : {}),
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
  return succeed(await withWhatIsKnown(options, parts.paths, { provider, model, info: described.model }));
};

/** What halter itself knows of the model: its profile, and how fast it was the last times. */
export const withWhatIsKnown = async (
  options: Pick<AgentOptions, 'onWarning'>,
  paths: HalterPaths,
  { provider, model, info }: { provider: ModelProvider; model: string; info: ModelInfo },
): Promise<ChosenModel> => {
  const key = keyOf(provider, info);
  const { profile, stale } = await createModelProfiles(paths.data).find(key);
  if (stale) {
    options.onWarning(
      'profile_stale',
      `${model} is another one than it was when it was probed, so its profile does not count. Probe it again with \`halter models probe\`.`,
    );
  }
  const speeds = await openModelSpeeds(paths.cache, key, profile ? { [model]: profile.speed } : {});
  const window = windowWith(info.context_length, profile);
  return {
    provider,
    model,
    info: window === undefined ? info : { ...info, context_length: window },
    ...(profile ? { profile } : {}),
    speeds,
  };
};
