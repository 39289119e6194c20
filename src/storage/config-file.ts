/** The person's settings in `config.json`: known keys with a type each, read with care and written whole. */

import { constants } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SPECULATIONS } from '../core/engine-options.ts';
import { isObject } from '../core/json.ts';
import { MODEL_ROLES, type ModelRole } from '../core/model-roles.ts';
import { address } from '../core/option-kinds.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { MODES } from '../core/policy/modes.ts';
import { presetNames } from '../core/presets.ts';
import { PROVIDER_NAMES } from '../core/provider-names.ts';
import { CURATOR_MODES, GRAPH_RAG_MODES } from '../core/retrieval-settings.ts';
import { readTokenCount } from '../core/token-count.ts';
import { TOOL_STRATEGIES } from '../core/tool-strategy.ts';
import { IMAGE_APIS, SEARCH_BACKENDS } from '../core/web-settings.ts';
import { COMPACTION_MODES } from '../core/window/compaction-mode.ts';
import { diskFailure, errorCode } from '../disk/disk-failure.ts';
import { writeFileAtomically } from './atomic-file.ts';
import { waitForLock } from './file-lock.ts';
import { STORAGE_LIMITS } from './limits.ts';
import { writableByOthers } from './own-file.ts';

type RoleKey = `models.roles.${ModelRole}`;
const MODEL_ROLE_KEYS = Object.fromEntries(MODEL_ROLES.map((role) => [`models.roles.${role}`, { type: 'string' }])) as {
  readonly [Key in RoleKey]: { readonly type: 'string' };
};

/** Everything that can be set. The values are what the flags of the same name take. */
export const CONFIG_KEYS = {
  model: { type: 'string' },
  model_fast: { type: 'string' },
  model_deep: { type: 'string' },
  provider: { type: 'string', oneOf: PROVIDER_NAMES },
  base_url: { type: 'string' },
  api_key_env: { type: 'string' },
  api_key_file: { type: 'string' },
  api_key_command: { type: 'string' },
  api_key_for: { type: 'string' },
  preset: { type: 'string', oneOf: presetNames },
  results: { type: 'string', oneOf: ['compact', 'full', 'summary'] },
  append_system_prompt: { type: 'string' },
  context_length: { type: 'tokens' },
  compaction: { type: 'string', oneOf: COMPACTION_MODES },
  tool_strategy: { type: 'string', oneOf: TOOL_STRATEGIES },
  speculation: { type: 'string', oneOf: SPECULATIONS },
  silence_timeout_ms: { type: 'integer' },
  'models.max_requests': { type: 'integer' },
  ...MODEL_ROLE_KEYS,
  max_iterations: { type: 'integer' },
  max_tool_calls: { type: 'integer' },
  temperature: { type: 'number' },
  top_p: { type: 'number' },
  seed: { type: 'integer' },
  think: { type: 'boolean' },
  think_budget: { type: 'integer' },
  mode: { type: 'string', oneOf: MODES },
  notify: { type: 'string', oneOf: ['never', 'unfocused', 'always'] },
  theme: { type: 'string', oneOf: ['auto', 'dark', 'light', 'contrast', 'plain'] },
  status_line: { type: 'string' },
  screen_reader: { type: 'boolean' },
  warm_up: { type: 'boolean' },
  prompt_states: { type: 'boolean' },
  offline: { type: 'boolean' },
  allow_private: { type: 'string' },
  web_search: { type: 'string', oneOf: SEARCH_BACKENDS },
  web_search_url: { type: 'string' },
  image_url: { type: 'string' },
  image_api: { type: 'string', oneOf: IMAGE_APIS },
  image_model: { type: 'string' },
  sandbox: { type: 'boolean' },
  allow_network: { type: 'boolean' },
  allow_hosts: { type: 'string' },
  allow_read: { type: 'string' },
  plugins: { type: 'string' },
  dialect: { type: 'string' },
  project_instructions: { type: 'boolean' },
  trace: { type: 'string', oneOf: ['off', 'file', 'otlp'] },
  trace_endpoint: { type: 'string' },
  trace_content: { type: 'boolean' },
  graph_rag: { type: 'string', oneOf: GRAPH_RAG_MODES },
  curator: { type: 'string', oneOf: CURATOR_MODES },
  embedding_model: { type: 'string' },
  database: { type: 'string' },
  workers: { type: 'boolean' },
} as const satisfies Record<
  string,
  { type: 'string' | 'integer' | 'tokens' | 'number' | 'boolean'; oneOf?: readonly string[] }
>;

/** Settings that were there before roles had names of their own, and say the same. */
export const ROLE_SETTINGS = {
  main: 'model',
  fast: 'model_fast',
  deep: 'model_deep',
  embeddings: 'embedding_model',
} as const satisfies Partial<Record<ModelRole, keyof typeof CONFIG_KEYS>>;

/** The other name of a setting that has two. */
const otherName = (key: ConfigKey): ConfigKey | undefined => {
  const pairs = Object.entries(ROLE_SETTINGS).map(([role, old]) => [`models.roles.${role}` as ConfigKey, old] as const);
  for (const [one, other] of pairs) {
    if (key === one) return other;
    if (key === other) return one;
  }
  return undefined;
};

export type ConfigKey = keyof typeof CONFIG_KEYS;
type ValueOf<Type> = Type extends 'string' ? string : Type extends 'boolean' ? boolean : number;
export type Config = { [Key in ConfigKey]?: ValueOf<(typeof CONFIG_KEYS)[Key]['type']> };

export type ConfigFile = {
  readonly path: string;
  /** Keys that this version does not know are left alone and named in `warnings`. */
  read(): Promise<Outcome<{ config: Config; warnings: string[] }>>;
  /** `undefined` removes the key. Everything else in the file stays. */
  set(key: ConfigKey, value: string | number | boolean | undefined): Promise<Outcome<void>>;
};

export const isConfigKey = (key: string): key is ConfigKey => Object.hasOwn(CONFIG_KEYS, key);

/** What is kept before was not looked at; a request says what is wrong with it. */
const ADDRESSES: ReadonlySet<ConfigKey> = new Set(['base_url', 'web_search_url', 'image_url', 'trace_endpoint']);

/** Lists, words to add and services that there need not be: an empty text of these is none, wherever it stands already. */
const MAY_BE_EMPTY: ReadonlySet<ConfigKey> = new Set([
  ...(['allow_hosts', 'allow_read', 'allow_private', 'api_key_for', 'plugins', 'status_line'] as const),
  ...(['append_system_prompt', 'web_search_url', 'image_url', 'image_model', 'trace_endpoint'] as const),
]);
/** Nothing of it can be seen. */
const BLANK = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*$/u;

/** The text of the command line → the value that the key takes. */
export const parseConfigValue = (key: ConfigKey, text: string): Outcome<string | number | boolean> => {
  const { type } = CONFIG_KEYS[key];
  if (type === 'string' && BLANK.test(text)) return failure('validation_failed', `${key} must not be blank`);
  const isText = type === 'string' || type === 'tokens';
  const value = isText ? text : text === 'true' ? true : text === 'false' ? false : numberOf(text);
  if (ADDRESSES.has(key) && address.problem(value) !== undefined)
    return failure('validation_failed', `${key} must be ${address.words}, not ${JSON.stringify(text)}`);
  const read = readConfigValue(key, value);
  return read.ok
    ? succeed(read.value)
    : failure('validation_failed', `${key} ${read.problem}, not ${JSON.stringify(text)}`);
};

const numberOf = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));

const ROLE_PREFIX = 'models.roles.';
/** A role that nothing goes by would be passed over in silence; undefined where the key names no role. */
export const unknownRole = (key: string): string | undefined =>
  key.startsWith(ROLE_PREFIX) && !isConfigKey(key)
    ? `There is no role ${JSON.stringify(key.slice(ROLE_PREFIX.length))} for models. The roles are: ${MODEL_ROLES.join(', ')}`
    : undefined;

/** `models` may be written as an object too, with `roles` in it. */
const flattened = (settings: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([key, value]) => {
      const isGroup = (key === 'models' || key === 'models.roles') && isObject(value);
      return isGroup ? Object.entries(flattened(prefixed(key, value))) : [[key, value]];
    }),
  );
const prefixed = (prefix: string, group: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(group).map(([key, value]) => [`${prefix}.${key}`, value]));

export type ReadValue = { ok: true; value: string | number | boolean } | { ok: false; problem: string };

/** A value of a file as it counts, or what it should be and is not. */
export const readConfigValue = (key: ConfigKey, value: unknown): ReadValue => {
  if (CONFIG_KEYS[key].type === 'tokens' && (typeof value === 'string' || typeof value === 'number')) {
    const read = readTokenCount(value);
    return read.ok ? { ok: true, value: read.tokens } : read;
  }
  const problem = problemOf(key, value);
  return problem === undefined ? { ok: true, value: value as string | number | boolean } : { ok: false, problem };
};

const problemOf = (key: ConfigKey, value: unknown): string | undefined => {
  const spec: { type: string; oneOf?: readonly string[] } = CONFIG_KEYS[key];
  if (spec.type === 'tokens') return 'must be a number of tokens';
  const fits =
    spec.type === 'integer'
      ? Number.isSafeInteger(value)
      : spec.type === 'number'
        ? typeof value === 'number' && Number.isFinite(value)
        : typeof value === spec.type;
  if (!fits) return `must be ${spec.type === 'integer' ? 'an' : 'a'} ${spec.type}`;
  if (!spec.oneOf && typeof value === 'string' && BLANK.test(value) && !MAY_BE_EMPTY.has(key))
    return 'must not be empty';
  return spec.oneOf && !spec.oneOf.includes(value as string) ? `must be one of ${spec.oneOf.join(', ')}` : undefined;
};

/** The folder itself cannot be entered: there is nothing in it to be repaired, and nothing to be kept either. */
const isClosed = async (folder: string): Promise<boolean> => {
  try {
    await access(folder, constants.X_OK);
    return false;
  } catch (error) {
    return ['EACCES', 'EPERM'].includes(errorCode(error));
  }
};

/** It may hold `offline`, so that is kept; everything else is at its safest by default. */
const withoutSettings = (folder: string): { config: Config; warnings: string[] } => ({
  config: { offline: true },
  warnings: [
    `${folder} cannot be opened: you have no permission (EACCES). Its settings and rules do not count, nothing but this machine is reached, and no decision is remembered after the session.`,
  ],
});

export const createConfigFile = (folder: string): ConfigFile => {
  const path = join(folder, 'config.json');

  /** A damaged file is not passed over: it may hold `offline`, and going on without that would break a promise. */
  const damaged = (what: string) =>
    failure('parse_error', `${path} ${what}. Mend it, or move it away to start with no settings.`, 'damaged');

  const readObject = async (): Promise<Outcome<Record<string, unknown>>> => {
    try {
      const found = await stat(path);
      // Anything else may never come to an end.
      if (!found.isFile()) return damaged('is not a file');
      const problem = writableByOthers(path, found);
      if (problem !== undefined) return failure('parse_error', `${problem}, so it is not used.`, 'not_ours');
      if (found.size > STORAGE_LIMITS.configFileBytes)
        return damaged(`is larger than ${STORAGE_LIMITS.configFileBytes} bytes`);
      const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path)));
      if (!isObject(value)) return damaged('holds no JSON object');
      return succeed(flattened(value));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return succeed({});
      if (errorCode(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA') return damaged('is not UTF-8');
      if (error instanceof SyntaxError) return damaged(`is not JSON (${error.message})`);
      return diskFailure(`${path} cannot be read`, error);
    }
  };

  return {
    path,
    async read() {
      if (await isClosed(folder)) return succeed(withoutSettings(folder));
      const read = await readObject();
      if (!read.ok) return read;
      const config: Record<string, unknown> = {};
      const warnings: string[] = [];
      for (const [key, value] of Object.entries(read.value)) {
        const role = unknownRole(key);
        if (role !== undefined) return damaged(`is wrong: ${role}`);
        if (!isConfigKey(key)) {
          warnings.push(`${path}: this version does not know the key ${JSON.stringify(key)}`);
          continue;
        }
        const known = readConfigValue(key, value);
        if (!known.ok) return damaged(`is wrong: ${key} ${known.problem}`);
        config[key] = known.value;
      }
      for (const [role, old] of Object.entries(ROLE_SETTINGS)) {
        const named = config[`models.roles.${role}`];
        if (named === undefined) continue;
        if (config[old] !== undefined && config[old] !== named)
          return damaged(
            `is wrong: ${old} and models.roles.${role} mean the same and name two models; keep one of them`,
          );
        config[old] = named;
      }
      return succeed({ config: config as Config, warnings });
    },
    async set(key, value) {
      const held = await waitForLock(
        join(folder, 'config.lock'),
        STORAGE_LIMITS.lockWaitMs,
        STORAGE_LIMITS.lockRetryMs,
      );
      if (!held.ok) return held;
      try {
        const read = await readObject();
        if (!read.ok) return read;
        const other = otherName(key);
        const rest = Object.entries(read.value).filter(([name]) => name !== key && name !== other);
        const next = Object.fromEntries(value === undefined ? rest : [...rest, [key, value]]);
        return await writeFileAtomically(path, `${JSON.stringify(next, null, 2)}\n`);
      } finally {
        held.value.release();
      }
    },
  };
};
