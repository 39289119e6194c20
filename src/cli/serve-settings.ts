/** The person's settings, as the page of `halter serve` reads and changes them. */
import { join } from 'node:path';
import type { ModelKeyPort, SettingsPort } from '../server/index.ts';
import { type Config, type ConfigKey, createConfigFile } from '../storage/config-file.ts';
import { MODEL_KEY_FILE, removeModelKey, writeModelKey } from '../storage/model-key-file.ts';
import type { FlagValues } from './flags.ts';
import type { Io } from './io.ts';
import { readProjectSettings } from './project-settings.ts';
import { homePath, pathsOf } from './settings.ts';

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

/** Where a key is named by a variable, or by the project, one that is typed would not count. */
export const modelKeyPort = (flags: FlagValues, io: Io): ModelKeyPort => {
  const folder = pathsOf(io).config;
  const file = createConfigFile(folder);
  const variable = flags['api-key-env'];
  const isOurs = (config: Config): boolean =>
    config.api_key_file !== undefined && homePath(config.api_key_file, io) === join(folder, MODEL_KEY_FILE);
  return {
    async tell() {
      const read = await file.read();
      if (!read.ok) return read;
      const { config } = read.value;
      const named = variable ?? config.api_key_env;
      if (named !== undefined) return { ok: true, value: { from: 'variable', name: named, is_settable: false } };
      if (isOurs(config)) return { ok: true, value: { from: 'here', is_settable: true } };
      if (config.api_key_file !== undefined)
        return { ok: true, value: { from: 'file', name: config.api_key_file, is_settable: false } };
      if (config.api_key_command !== undefined) return { ok: true, value: { from: 'command', is_settable: false } };
      return { ok: true, value: { from: 'none', is_settable: true } };
    },
    async set(key) {
      if (key !== undefined) {
        const kept = await writeModelKey(folder, key);
        return kept.ok ? file.set('api_key_file', MODEL_KEY_FILE) : kept;
      }
      const read = await file.read();
      if (!read.ok) return read;
      if (isOurs(read.value.config)) {
        const named = await file.set('api_key_file', undefined);
        if (!named.ok) return named;
      }
      return removeModelKey(folder);
    },
  };
};
