/** The person's settings, as the page of `halter serve` reads and changes them. */
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { isServerProviderName, usualAddress } from '../providers/index.ts';
import type { ModelKeyPort, SettingsPort, ToldModelKey } from '../server/index.ts';
import { type Config, type ConfigFile, type ConfigKey, createConfigFile } from '../storage/config-file.ts';
import { MODEL_KEY_FILE, readTypedKey, removeModelKey, writeModelKey } from '../storage/model-key-file.ts';
import type { FlagValues } from './flags.ts';
import type { Io } from './io.ts';
import { isKeptKey, modelKeyOf } from './model-key.ts';
import { namedProvider } from './model-servers.ts';
import { readProjectSettings } from './project-settings.ts';
import { withServerSettings } from './server-choice.ts';
import { pathsOf } from './settings.ts';

/** Flags that say what a setting says, and win over it. */
const FLAGS: Partial<Record<ConfigKey, readonly (keyof FlagValues)[]>> = {
  append_system_prompt: ['append-system-prompt'],
  temperature: ['temperature'],
  top_p: ['top-p'],
  seed: ['seed'],
  think: ['think', 'no-think'],
  max_iterations: ['max-iterations'],
  max_tool_calls: ['max-tool-calls'],
  model: ['model', 'provider', 'base-url'],
  mode: ['mode', 'plan', 'yolo'],
};

export const settingsPort = async (folder: string, flags: FlagValues, io: Io): Promise<SettingsPort> => {
  const file = createConfigFile(pathsOf(io).config);
  const read = async () => {
    const now = await file.read();
    return now.ok ? { ok: true as const, value: now.value.config } : now;
  };
  const atStart = await read();
  const started: Config = atStart.ok ? atStart.value : {};
  // What it warns of was said when the agent was opened.
  const project = await readProjectSettings(folder, { ...io, stderr: { ...io.stderr, write: () => true } } as Io);
  const byFlag = (Object.keys(FLAGS) as ConfigKey[]).filter((key) =>
    FLAGS[key]?.some((flag) => flags[flag] !== undefined && flags[flag] !== false),
  );
  return {
    read,
    set: (key, value) => file.set(key, value),
    started,
    held: new Set([...byFlag, ...(Object.keys(project) as ConfigKey[])]),
  };
};

/**
 * Where a key is named by a variable, or by a file of the person's, one that is typed would not count. `inUse`: the address
 * of the model server that is open, where no flag and no setting names one.
 */
export const modelKeyPort = (flags: FlagValues, io: Io, inUse: () => Promise<string | undefined>): ModelKeyPort => {
  const folder = pathsOf(io).config;
  const file = createConfigFile(folder);
  return {
    async tell() {
      const read = await file.read();
      return read.ok ? succeed(await tellKey(read.value.config, { flags, io, inUse })) : read;
    },
    async set(key) {
      const read = await file.read();
      if (!read.ok) return read;
      const { config } = read.value;
      if (key !== undefined) return keepKey(key, await serverOf(config, { flags, io, inUse }), { folder, file });
      for (const name of isKeptKey(config, io) ? (['api_key_file', 'api_key_for'] as const) : []) {
        const removed = await file.set(name, undefined);
        if (!removed.ok) return removed;
      }
      return removeModelKey(folder);
    },
  };
};

type KeyPlace = { flags: FlagValues; io: Io; inUse(): Promise<string | undefined> };

const tellKey = async (config: Config, place: KeyPlace): Promise<ToldModelKey> => {
  const { flags, io } = place;
  const named = flags['api-key-env'] ?? config.api_key_env;
  if (named !== undefined) return { from: 'variable', name: named, is_settable: false };
  const server = await serverOf(config, place);
  const settable = { ...(server === undefined ? {} : { server }), is_settable: server !== undefined };
  if (isKeptKey(config, io)) {
    const servers = modelKeyOf({}, config, io).apiKeyFor ?? [];
    return { from: 'here', ...(servers.length === 0 ? {} : { for: servers.join(', ') }), ...settable };
  }
  if (config.api_key_file !== undefined) return { from: 'file', name: config.api_key_file, is_settable: false };
  if (config.api_key_command !== undefined) return { from: 'command', is_settable: false };
  return { from: 'none', ...settable };
};

/** The model server that halter goes by: of the flags and settings, else the one that was found. */
const serverOf = async (config: Config, { flags, io, inUse }: KeyPlace): Promise<string | undefined> => {
  const server = withServerSettings(flags, config);
  if (server['base-url'] !== undefined) return server['base-url'];
  const { provider } = namedProvider(server);
  return isServerProviderName(provider) ? usualAddress(provider, io.env) : inUse();
};

/** In an order that never leaves a key beside the address of another server, wherever it is broken off. */
const keepKey = async (
  key: string,
  server: string | undefined,
  { folder, file }: { folder: string; file: ConfigFile },
): Promise<Outcome<void>> => {
  if (server === undefined) return failure('validation_failed', 'There is no model server that a key could be for.');
  const typed = readTypedKey(key);
  if (!typed.ok) return typed;
  const steps = [
    () => file.set('api_key_file', undefined),
    () => file.set('api_key_for', server),
    () => writeModelKey(folder, typed.value),
    () => file.set('api_key_file', MODEL_KEY_FILE),
  ];
  for (const step of steps) {
    const done = await step();
    if (!done.ok) return done;
  }
  return succeed(undefined);
};
