/**
 * `.halter/config.json` of a project. Whoever wrote the project wrote this file, so it counts only in a folder that the
 * person trusts, and even there only where it can do no harm: it grants nothing, reads nothing and sends nothing anywhere.
 */

import type { Workspace } from '../core/ports.ts';
import { type Config, type ConfigKey, isConfigKey, type ReadValue, readConfigValue } from './config-file.ts';
import { STORAGE_LIMITS } from './limits.ts';

const PATH = '.halter/config.json';

/** Not the model, the provider or an address (they decide who reads the files), nor a prompt (it may name a file). */
export const PROJECT_KEYS: ReadonlySet<ConfigKey> = new Set([
  'preset',
  'results',
  'max_iterations',
  'max_tool_calls',
  'temperature',
  'top_p',
  'seed',
  'think',
  'think_budget',
]);

/** Never fails: what cannot be used is left out and named. */
export const readProjectConfig = async (
  workspace: Pick<Workspace, 'stat' | 'readFile'>,
  trusted: boolean,
): Promise<{ config: Config; warnings: string[] }> => {
  const nothing = (warning?: string) => ({ config: {}, warnings: warning === undefined ? [] : [warning] });
  const there = await workspace.stat(PATH);
  if (!there.ok && there.error.error_type === 'not_found') return nothing();
  if (!trusted)
    return nothing(`${PATH} is not used, because this folder is not trusted; \`halter trust\` changes that`);
  const read = await workspace.readFile(PATH, { maxBytes: STORAGE_LIMITS.configFileBytes });
  if (!read.ok) return nothing(`${PATH} is not used: ${read.error.message}`);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(read.value.bytes));
  } catch {
    return nothing(`${PATH} is not used: it is not JSON`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return nothing(`${PATH} is not used: it holds no JSON object`);
  }
  const config: Record<string, unknown> = {};
  const warnings: string[] = [];
  for (const [key, entry] of Object.entries(value)) {
    const read = readEntry(key, entry);
    if (read.ok) config[key] = read.value;
    else warnings.push(`${PATH}: ${JSON.stringify(key)} ${read.problem}; it was left out`);
  }
  return { config: config as Config, warnings };
};

const readEntry = (key: string, entry: unknown): ReadValue => {
  if (!isConfigKey(key)) return { ok: false, problem: 'is not a setting of this version' };
  return PROJECT_KEYS.has(key) ? readConfigValue(key, entry) : { ok: false, problem: 'may not be set by a project' };
};
