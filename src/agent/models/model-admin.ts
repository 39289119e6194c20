/** Gets, removes and probes models for a person who looks after them while the program runs. */

import { rm } from 'node:fs/promises';
import type { ModelError } from '../../core/model-port.ts';
import { keyOf, type ModelProfile } from '../../core/model-profile.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { quotedName } from '../../core/quoted-name.ts';
import { systemClock } from '../../io/clock.ts';
import type { ModelStore } from '../../providers/embedded/model-store.ts';
import { detectEndpoints, parseModelName, usualEndpoints } from '../../providers/index.ts';
import { pullWithOllama, removeFromOllama } from '../../providers/ollama/ollama-admin.ts';
import { createModelProfiles } from '../../storage/model-profiles.ts';
import { AGENT_LIMITS } from '../limits.ts';
import type { AdvisedModel } from './advise.ts';
import type { ChosenModel, ModelPlace } from './choose-model.ts';
import { probeModel } from './probe.ts';

/** What a long work is at; `fraction` is from 0 to 1 where it is known. */
export type OnWork = (message: string, fraction?: number) => void;
export type WorkOptions = { signal: AbortSignal; onProgress: OnWork };

export type Suggestion = AdvisedModel & {
  /** As `pull` takes it; absent where nothing here gets it, and `command` says what would. */
  pull?: string;
};
/** Who gets models. */
const GETTERS = ['ollama', 'embedded'] as const;
export type Getter = (typeof GETTERS)[number];

export type Suggestions = { memoryBytes: number; date: string; models: Suggestion[] };

export type ModelAdmin = {
  /** For whom a pull gets models: none where halter was started for a server that gets none. */
  gets: readonly Getter[];
  /** `ollama/NAME` by the Ollama server that answers, `embedded/NAME` by halter itself. */
  pull(model: string, options: WorkOptions): Promise<Outcome<void>>;
  /** From the Ollama server, or halter's own file. One that is open is not removed. */
  remove(model: string, signal: AbortSignal): Promise<Outcome<void>>;
  /** Tries the model and keeps what came of it; sessions that are opened from then on go by it. */
  probe(model: string, options: WorkOptions): Promise<Outcome<ModelProfile>>;
  /** Models of the catalogue, the best for this machine first. Runs no model to measure it. */
  suggest(signal: AbortSignal): Promise<Outcome<Suggestions>>;
  /** What probing found out, where it still is the same model. */
  profileOf(model: {
    provider: string;
    endpoint: string;
    name: string;
    digest?: string | undefined;
  }): Promise<ModelProfile | undefined>;
};

export type ModelAdminParts = {
  place: ModelPlace;
  store(): Promise<ModelStore>;
  open(model: string): Promise<Outcome<ChosenModel, ModelError>>;
  /** The one server that the person named: then no other is asked. */
  only: { provider: string | undefined; baseUrl: string | undefined } | undefined;
  /** The one halter was started with, where it is open. */
  opened(): Promise<Outcome<ChosenModel, ModelError> | undefined> | undefined;
};

/** What Ollama and the engine take as a name; anything else is refused before a server hears of it. */
const MODEL_NAME = /^[\p{L}\p{N}][\p{L}\p{N}._:/@+-]*$/u;

type Named = { provider: 'ollama' | 'embedded'; name: string };

const nameIn = (model: string): Outcome<Named> => {
  const { provider, model: name } = parseModelName(model);
  if (provider !== 'ollama' && provider !== 'embedded') {
    return failure(
      'validation_failed',
      `halter gets and removes models for Ollama (ollama/NAME) and for its own engine (embedded/NAME), not ${JSON.stringify(model.slice(0, AGENT_LIMITS.modelNameCharacters))}.`,
    );
  }
  if (name === undefined || name.length > AGENT_LIMITS.modelNameCharacters || !MODEL_NAME.test(name)) {
    return failure('validation_failed', 'The name of a model has letters, digits and . _ : / @ + - only.');
  }
  return succeed({ provider, name });
};

const nameFor = (model: string, only: ModelAdminParts['only']): Outcome<Named> => {
  const named = nameIn(model);
  if (!named.ok || only === undefined || only.provider === named.value.provider) return named;
  const where = only.baseUrl === undefined ? 'one provider' : `the server at ${only.baseUrl}`;
  return failure(
    'validation_failed',
    `halter was started for ${where}, so it gets and removes no models elsewhere. Start it without --base-url and --provider to use all that are found.`,
  );
};

export const createModelAdmin = (parts: ModelAdminParts): ModelAdmin => {
  const { place, only } = parts;
  const ollama = async (signal: AbortSignal): Promise<Outcome<string>> => {
    if (only?.provider === 'ollama' && only.baseUrl !== undefined) return succeed(only.baseUrl);
    const main = await parts.opened();
    if (main?.ok && main.value.provider.name === 'ollama') return succeed(main.value.provider.endpoint);
    const usual = usualEndpoints(place.io.environment).filter(({ provider }) => provider === 'ollama');
    const [found] = await detectEndpoints(place.network, signal, usual);
    return found
      ? succeed(found.baseUrl)
      : failure('not_found', `No Ollama server answers at ${usual[0]?.baseUrl}. Start it with: ollama serve`);
  };

  /** A file of the engine has several names. */
  const isSame = async ({ provider, name }: Named, other: string): Promise<boolean> => {
    if (name === other || provider !== 'embedded') return name === other;
    const store = await parts.store();
    const file = await store.find(name);
    return file !== undefined && file === (await store.find(other));
  };

  return {
    gets: GETTERS.filter((provider) => only === undefined || only.provider === provider),
    async pull(model, options) {
      const named = nameFor(model, only);
      if (!named.ok) return named;
      const { provider, name } = named.value;
      if (provider === 'embedded') return pullIntoStore(await parts.store(), name, options);
      const url = await ollama(options.signal);
      if (!url.ok) return url;
      const ask = { network: place.network, url: url.value, model: name, signal: options.signal };
      return pullWithOllama(ask, options.onProgress);
    },
    async remove(model, signal) {
      const named = nameFor(model, only);
      if (!named.ok) return named;
      const { provider, name } = named.value;
      const main = await parts.opened();
      if (main?.ok && main.value.provider.name === provider && (await isSame(named.value, main.value.model))) {
        const message = `${model} is the model that halter was started with, and it is open. Start halter with another one first.`;
        return failure('validation_failed', message, 'in_use');
      }
      if (provider === 'embedded') return removeFromStore(await parts.store(), name);
      const url = await ollama(signal);
      if (!url.ok) return url;
      return removeFromOllama({ network: place.network, url: url.value, model: name, signal });
    },
    async probe(model, { signal, onProgress }) {
      if (place.known === undefined) return failure('validation_failed', 'Profiles of models are not kept here.');
      const chosen = await parts.open(model);
      if (!chosen.ok) return failure('not_found', chosen.error.message);
      const probed = await probeModel({
        ...chosen.value,
        clock: systemClock,
        signal,
        onCheck: ({ title }, number, total) => onProgress(`${number} of ${total}: ${title}`, (number - 1) / total),
      });
      if (!probed.ok) return failure('io_error', probed.error.message);
      const { profile } = probed;
      const kept = await createModelProfiles(place.known).save(profile);
      if (!kept.ok) return kept;
      // The model stays open, and what is opened with it from now on goes by what was found.
      chosen.value.profile = profile;
      return succeed(profile);
    },
    async suggest(signal) {
      const { environment, offline } = place.io;
      // Where one server was named, no other is asked.
      const isOllama = only?.provider === 'ollama' && only.baseUrl !== undefined;
      const { adviseModels } = await import('./advise.ts');
      const advice = await adviseModels({
        network: place.network,
        processes: place.processes,
        clock: systemClock,
        environment: isOllama ? { ...environment, OLLAMA_HOST: only.baseUrl } : environment,
        modelsFolder: place.modelsFolder,
        cacheFolder: place.known?.cache ?? place.modelsFolder,
        signal,
        offline: offline || (only !== undefined && !isOllama),
        measure: false,
      });
      if (!advice.ok) return advice;
      const { machine, date, models } = advice.value;
      return succeed({
        memoryBytes: machine.memoryBytes,
        date,
        models: models
          .filter(({ fits }) => fits !== 'no')
          .map((model) => ({ ...model, ...pullIn(model.command, only) })),
      });
    },
    async profileOf({ provider, endpoint, name, digest }) {
      if (place.known === undefined) return undefined;
      const key = keyOf({ name: provider, endpoint }, { id: name, ...(digest ? { digest } : {}) });
      return (await createModelProfiles(place.known).find(key)).profile;
    },
  };
};

/** The model that `halter models pull` would get. */
const pullIn = (command: string, only: ModelAdminParts['only']): { pull?: string } => {
  const [, named] = /^halter models pull (\S+)$/.exec(command) ?? [];
  if (named === undefined) return {};
  const pull = named === 'starter' ? 'embedded/starter' : named;
  return nameFor(pull, only).ok ? { pull } : {};
};

const pullIntoStore = async (
  store: ModelStore,
  name: string,
  { signal, onProgress }: WorkOptions,
): Promise<Outcome<void>> => {
  const pulled = await store.pull(name, {
    signal,
    onProgress: ({ source, bytes, total }) => onProgress(`from ${source}`, total > 0 ? bytes / total : undefined),
  });
  if (pulled.ok) return succeed(undefined);
  const { reason, message, hint } = pulled.error;
  return failure(reason === 'unknown_model' ? 'not_found' : 'io_error', `${message} ${hint}`, reason);
};

const removeFromStore = async (store: ModelStore, name: string): Promise<Outcome<void>> => {
  const file = await store.find(name);
  if (file === undefined) return failure('not_found', `There is no model ${quotedName(name)} in ${store.folder}.`);
  try {
    await rm(file);
    return succeed(undefined);
  } catch (error) {
    return failure('io_error', `${file} could not be removed: ${(error as Error).message}`);
  }
};
