/** The model of a run: opened once, at its first need, and described by whoever serves it. */
import { holds, type ToldWindow, windowHeld } from '../../core/learned-window.ts';
import type { ModelPlaces } from '../../core/model-places.ts';
import type { ModelError, ModelInfo, ModelProvider, RequestFigures } from '../../core/model-port.ts';
import { keyOf, type ModelProfile, windowWith } from '../../core/model-profile.ts';
import { type Outcome, succeed } from '../../core/outcome.ts';
import type { Network, Processes } from '../../core/ports.ts';
import { systemClock } from '../../io/clock.ts';
import { createModelProfiles } from '../../storage/model-profiles.ts';
import { type ModelSpeeds, openModelSpeeds } from '../../storage/model-speeds.ts';
import { promptStatesFolder } from '../../storage/paths.ts';
import type { IoOptions, ModelOptions } from '../create-agent/options.ts';
import { readApiKey } from './api-key.ts';
import { type OpenedProvider, openProvider } from './open-provider.ts';

export type ChosenModel = {
  provider: ModelProvider;
  model: string;
  /** As the server describes it, with the window that was found where that is smaller; the name alone where it was not asked. */
  info: ModelInfo;
  /** What was told of its window, before what was learned of it. */
  told?: ToldWindow;
  /** What probing it found out. */
  profile?: ModelProfile;
  speeds?: ModelSpeeds;
};

export type ModelPlace = {
  network: Network;
  processes: Processes;
  io: Required<Pick<IoOptions, 'environment' | 'offline' | 'onWarning'>> & Pick<IoOptions, 'signal'>;
  /** Who may send a request to a server now; undefined: everybody. */
  places: ModelPlaces | undefined;
  /** Told of each request to a server when it is over. */
  onRequest(figures: RequestFigures): void;
  /** Where model files of the embedded engine lie. */
  modelsFolder: string;
  /** Where profiles and speeds of models are kept; undefined: none are read or kept. */
  known: { data: string; cache: string; config?: string } | undefined;
};

export const chooseModel = async (
  options: ModelOptions,
  place: ModelPlace,
): Promise<Outcome<ChosenModel, ModelError>> => {
  const opened = await openChosen(options, place);
  if (!opened.ok) return opened;
  // The person's word goes before what the server says.
  const own = options.contextLength === undefined ? {} : { context_length: options.contextLength };
  if (options.describe === false) return succeed({ ...opened.value, info: { id: opened.value.model, ...own } });
  const described = await describeModel(opened.value, place, options.contextLength);
  if (described.ok) {
    tellOtherName(described.value, place);
    return described;
  }
  // One that the program brought may be used again.
  if (typeof options.provider !== 'object') await opened.value.provider.close();
  return described;
};

const tellOtherName = ({ provider, model, info }: ChosenModel, { io }: ModelPlace): void => {
  if (info.answers_as !== undefined)
    io.onWarning(
      'model_renamed',
      `${provider.endpoint} has no model ${model}: its only one, ${info.answers_as}, answers.`,
    );
};

const openChosen = async (options: ModelOptions, place: ModelPlace): Promise<Outcome<OpenedProvider, ModelError>> => {
  const { io, network, places, processes, modelsFolder } = place;
  return openProvider({
    network,
    processes,
    clock: systemClock,
    places,
    onRequest: place.onRequest,
    environment: io.environment,
    modelsFolder,
    statesFolder:
      options.promptStates === false || place.known === undefined ? undefined : promptStatesFolder(place.known),
    offline: io.offline,
    signal: io.signal,
    model: options.name,
    provider: options.provider,
    baseUrl: options.baseUrl,
    key: {
      servers: options.apiKeyFor,
      read: () => readApiKey({ ...options, environment: io.environment }, processes),
    },
    contextTokens: options.contextLength,
    silenceTimeoutMs: options.silenceTimeoutMs,
    toolStrategy: options.toolStrategy,
    adapters: options.adapters,
    speculation: options.speculation,
    more: options.providers,
    onLoading: options.onLoading,
  });
};

/** Asks the server, and adds what halter itself knows of the model: its profile, and how fast it was the last times. */
export const describeModel = async (
  { provider, model }: Pick<ChosenModel, 'provider' | 'model'>,
  { io, known }: Pick<ModelPlace, 'io' | 'known'>,
  /** The window that the person gave. */
  given?: number,
): Promise<Outcome<ChosenModel, ModelError>> => {
  const described = await provider.describe(model, io.signal ?? new AbortController().signal);
  if (!described.ok) return { ok: false, error: described.error };
  const info = described.model;
  const told: ToldWindow = given === undefined ? { told: info.context_length } : { told: given, given: true };
  if (known === undefined) return succeed(withWindow({ provider, model, info, told }));
  const key = keyOf(provider, info);
  const { profile, stale, problems = [] } = await createModelProfiles(known).find(key);
  for (const problem of problems) io.onWarning('shared_profile', `${problem}.`);
  if (stale) {
    io.onWarning(
      'profile_stale',
      `${model} is another one than it was when it was probed, so its profile does not count. Probe it again with \`halter models probe\`.`,
    );
  }
  const speeds = await openModelSpeeds(known.cache, key, profile ? { [model]: profile.speed } : {});
  const { window } = speeds.of(model);
  // What the person gives now is to hold, and not what was learned before they did.
  if (given !== undefined && window !== undefined && !holds(window, told)) speeds.learnWindow(model, undefined);
  return succeed(withWindow({ provider, model, info, told, profile, speeds }));
};

const withWindow = (chosen: ChosenModel): ChosenModel => {
  const window = presentWindow(chosen);
  return window === undefined ? chosen : { ...chosen, info: { ...chosen.info, context_length: window } };
};

/** The window to go by now, with what was learned of it since the model was opened. */
export const presentWindow = ({ info, model, told, profile, speeds }: ChosenModel): number | undefined => {
  if (told === undefined) return info.context_length;
  const held = windowHeld(told, speeds?.of(model).window);
  return told.given ? held : windowWith(held, profile);
};
