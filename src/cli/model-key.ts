/** The key that a command goes by, and the servers that it is for. */
import { join } from 'node:path';
import type { ModelOptions } from '../agent/create-agent/options.ts';
import { addressesOf, isServerProviderName, usualAddress } from '../providers/index.ts';
import type { Config } from '../storage/config-file.ts';
import { MODEL_KEY_FILE } from '../storage/model-key-file.ts';
import type { FlagValues } from './flags.ts';
import type { Io } from './io.ts';
import { namesOtherProvider, settingsProvider } from './server-choice.ts';
import { homePath, pathsOf } from './settings.ts';

export type KeyOptions = Pick<ModelOptions, 'apiKeyEnv' | 'apiKeyFile' | 'apiKeyCommand' | 'apiKeyFor'>;

/**
 * A flag names a key for the server of this run, and so does a setting where the settings give no address. Beside an
 * address the key is for that server, and for no other.
 */
export const modelKeyOf = (
  flags: FlagValues,
  config: Config,
  io: Pick<Io, 'env'>,
  /** Providers of plugins. */
  further: readonly string[] = [],
): KeyOptions => {
  if (flags['api-key-env'] !== undefined) return { apiKeyEnv: flags['api-key-env'] };
  return {
    apiKeyEnv: config.api_key_env,
    apiKeyFile: config.api_key_file === undefined ? undefined : homePath(config.api_key_file, io as Io),
    apiKeyCommand: config.api_key_command,
    apiKeyFor: serversOfKey(flags, config, io, further),
  };
};

/** Undefined: that of this run. */
const serversOfKey = (
  flags: FlagValues,
  config: Config,
  io: Pick<Io, 'env'>,
  further: readonly string[],
): string[] | undefined => {
  const address = config.api_key_for ?? config.base_url;
  if (address !== undefined) return addressesOf(address);
  const provider = settingsProvider(config);
  const isOfThisRun = provider === undefined || !namesOtherProvider(flags, config, further);
  // One that the page keeps has an address; what has none is from before.
  if (isOfThisRun && !isKeptKey(config, io)) return undefined;
  return isServerProviderName(provider) ? [usualAddress(provider, io.env)] : [];
};

/** Whether the key is the one that was typed in the page. */
export const isKeptKey = (config: Config, io: Pick<Io, 'env'>): boolean =>
  config.api_key_file !== undefined &&
  homePath(config.api_key_file, io as Io) === join(pathsOf(io as Io).config, MODEL_KEY_FILE);
