/** Which model server is meant: the flags, and the settings as far as they speak of the same server. */
import { MODEL_ROLES } from '../core/model-roles.ts';
import { type ProviderName, parseModelName } from '../providers/index.ts';
import { type Config, ROLE_SETTINGS } from '../storage/config-file.ts';
import type { FlagValues } from './flags.ts';

export type ServerChoice = {
  /** The model as it was named, with its provider in front where it was named so. */
  model?: string | undefined;
  provider?: string | undefined;
  baseUrl?: string | undefined;
};

/**
 * A flag names one thing and leaves the others as they are set: with `-m` alone the address of the settings still holds.
 * It does not hold for another provider, or beside `--base-url`. `further`: providers of plugins.
 */
export const serverChoice = (given: FlagValues, config: Config, further: readonly string[] = []): ServerChoice => {
  const flags = given.model === undefined ? given : { ...given, model: ofRole(given.model, config) };
  const named = namedProvider(flags, further);
  const set = settingsProvider(config);
  const isSameServer = flags['base-url'] === undefined && !namesOtherProvider(given, config, further);
  return {
    model: flags.model ?? (isSameServer && flags.provider === undefined ? config.model : undefined),
    // A name with its provider in front says it itself.
    provider: flags.provider ?? (named === undefined && isSameServer ? set : undefined),
    baseUrl: flags['base-url'] ?? (isSameServer ? config.base_url : undefined),
  };
};

/** Whether a flag names another provider than the settings do. */
export const namesOtherProvider = (given: FlagValues, config: Config, further: readonly string[] = []): boolean => {
  const model = given.model === undefined ? undefined : ofRole(given.model, config);
  const named = namedProvider({ ...given, model }, further);
  return named !== undefined && named !== settingsProvider(config);
};

const namedProvider = ({ provider, model = '' }: FlagValues, further: readonly string[]): string | undefined => {
  const [prefix = ''] = model.split('/');
  return provider ?? parseModelName(model).provider ?? (further.includes(prefix) ? prefix : undefined);
};

/** The models that the settings name for what they are used for. */
export const rolesOf = (config: Config): Record<string, string> =>
  Object.fromEntries(
    MODEL_ROLES.flatMap((role) => {
      const old = Object.hasOwn(ROLE_SETTINGS, role) ? ROLE_SETTINGS[role as keyof typeof ROLE_SETTINGS] : undefined;
      const name = config[`models.roles.${role}`] ?? (old && config[old]);
      return name === undefined ? [] : [[role, name]];
    }),
  );
const ofRole = (name: string, config: Config): string => {
  const roles = rolesOf(config);
  return Object.hasOwn(roles, name) ? (roles[name] as string) : name;
};

/** An address without a provider is that of a server that speaks OpenAI's protocol. */
export const settingsProvider = (config: Config): ProviderName | undefined =>
  (config.provider as ProviderName | undefined) ??
  parseModelName(config.model ?? '').provider ??
  (config.base_url === undefined ? undefined : 'openai');

/** The flags as if the settings of the server had been given with them. */
export const withServerSettings = (flags: FlagValues, config: Config): FlagValues => {
  const { model, provider, baseUrl } = serverChoice(flags, config);
  return {
    ...flags,
    ...(model === undefined ? {} : { model }),
    ...(provider === undefined ? {} : { provider: provider as FlagValues['provider'] }),
    ...(baseUrl === undefined ? {} : { 'base-url': baseUrl }),
  } as FlagValues;
};
