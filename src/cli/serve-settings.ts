/** The person's settings, as the page of `halter serve` reads and changes them. */
import type { SettingsPort } from '../server/index.ts';
import { type Config, type ConfigKey, createConfigFile } from '../storage/config-file.ts';
import type { FlagValues } from './flags.ts';
import type { Io } from './io.ts';
import { readProjectSettings } from './project-settings.ts';
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
