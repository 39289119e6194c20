/**
 * What is known of one model on one server because it was tried (`halter models probe`), and what follows from it for a
 * session. A profile is data; a damaged one, or one of another version, is as good as none.
 */
import { isObject } from './json.ts';
import type { LearnedWindow } from './learned-window.ts';
import type { ModelInfo, ModelProvider } from './model-port.ts';
import type { PromptSize } from './system-prompt.ts';

export const PROFILE_VERSION = 1;

/** Which model is meant. A model that was pulled again under its name has another digest. */
export type ProfileKey = { provider: string; endpoint: string; model: string; digest?: string };

export type ProfileCheck = {
  id: string;
  group: string;
  title: string;
  /** `skipped`: it could not be asked here, and the detail says why. */
  outcome: 'passed' | 'failed' | 'skipped';
  detail: string;
  seconds: number;
};

export type ModelSpeed = {
  prefill_tokens_per_second?: number;
  decode_tokens_per_second?: number;
  /** The window that the server's answers showed. */
  window?: LearnedWindow;
  /** Its prompt opens its thoughts, and its server leaves them in the text. */
  opens_thoughts?: boolean;
};

export type ModelProfile = {
  version: typeof PROFILE_VERSION;
  key: ProfileKey;
  probed_at: number;
  /** How calls are had: by the server's own tools, as text in the prompt's own format, or not at all. */
  tool_calls: 'native' | 'text' | 'none';
  /** The format in which calls are written as text, where that is known. */
  dialect?: string;
  parallel_calls: boolean;
  /** When arguments are decoded under the schema: at the first retry, at the last, or never, since it does not work. */
  constrained: 'first_retry' | 'last_retry' | 'never';
  prompt_tier: PromptSize;
  /** The window that was found, where it is smaller than the server says or the server does not say. */
  context_tokens?: number;
  reasoning: 'none' | 'separate' | 'in_text';
  speed: ModelSpeed;
  checks: ProfileCheck[];
};

const oneOf = (value: unknown, choices: readonly string[]): boolean =>
  typeof value === 'string' && choices.includes(value);
const isPositive = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value) && value > 0;
const isCount = (value: unknown): boolean => isPositive(value) && Number.isSafeInteger(value);
const isAbsentOr = (test: (value: unknown) => boolean, value: unknown): boolean => value === undefined || test(value);

const isSpeed = (value: unknown): boolean =>
  isObject(value) &&
  isAbsentOr(isPositive, value['prefill_tokens_per_second']) &&
  isAbsentOr(isPositive, value['decode_tokens_per_second']);

const isCheck = (value: unknown): boolean =>
  isObject(value) &&
  ['id', 'group', 'title', 'detail'].every((name) => typeof value[name] === 'string') &&
  oneOf(value['outcome'], ['passed', 'failed', 'skipped']);

/** The profile that a file holds; undefined where it is none that this version understands. */
export const readProfile = (value: unknown): ModelProfile | undefined => {
  if (!isObject(value) || value['version'] !== PROFILE_VERSION || !isObject(value['key'])) return undefined;
  const { key } = value;
  const fits =
    ['provider', 'endpoint', 'model'].every((name) => typeof key[name] === 'string') &&
    isAbsentOr((digest) => typeof digest === 'string', key['digest']) &&
    isPositive(value['probed_at']) &&
    oneOf(value['tool_calls'], ['native', 'text', 'none']) &&
    isAbsentOr((dialect) => typeof dialect === 'string', value['dialect']) &&
    typeof value['parallel_calls'] === 'boolean' &&
    oneOf(value['constrained'], ['first_retry', 'last_retry', 'never']) &&
    oneOf(value['prompt_tier'], ['small', 'standard']) &&
    isAbsentOr(isCount, value['context_tokens']) &&
    oneOf(value['reasoning'], ['none', 'separate', 'in_text']) &&
    isSpeed(value['speed']) &&
    Array.isArray(value['checks']) &&
    value['checks'].every(isCheck);
  return fits ? (value as ModelProfile) : undefined;
};

export const keyOf = (provider: Pick<ModelProvider, 'name' | 'endpoint'>, info: ModelInfo): ProfileKey => ({
  provider: provider.name,
  endpoint: provider.endpoint,
  model: info.id,
  digest: info.digest,
});

/** The same model: where either side knows no digest, the name decides. */
export const isProfileOf = (profile: ModelProfile, key: ProfileKey): boolean =>
  profile.key.provider === key.provider &&
  profile.key.endpoint === key.endpoint &&
  profile.key.model === key.model &&
  (profile.key.digest === undefined || key.digest === undefined || profile.key.digest === key.digest);

/** The real window: never more than the server says, and less where less was found. */
export const windowWith = (declared: number | undefined, profile: ModelProfile | undefined): number | undefined => {
  const found = profile?.context_tokens;
  if (found === undefined || declared === undefined) return found ?? declared;
  return Math.min(found, declared);
};

/** Profiles as people hand them on: by the model's digest and the make of server, without whose server it was. */
export type SharedProfiles = {
  kind: 'halter-model-profiles';
  version: typeof PROFILE_VERSION;
  profiles: Record<string, Record<string, ModelProfile>>;
};

/** Those whose server told a digest; how fast it was is another machine's business. */
export const shareProfiles = (profiles: readonly ModelProfile[]): SharedProfiles => {
  const shared: SharedProfiles = { kind: 'halter-model-profiles', version: PROFILE_VERSION, profiles: {} };
  for (const profile of profiles) {
    const { provider, model, digest } = profile.key;
    if (digest === undefined) continue;
    shared.profiles[digest] = {
      ...shared.profiles[digest],
      [provider]: { ...profile, key: { provider, endpoint: '', model, digest }, speed: {} },
    };
  }
  return shared;
};

/**
 * The one of these that is meant, as if it had been found here; undefined where there is none. `problem`: why the file, or
 * what it says of this model, is not understood.
 */
export const sharedProfileOf = (
  value: unknown,
  key: ProfileKey,
): { profile?: ModelProfile; problem?: string } | undefined => {
  if (!isObject(value)) return { problem: 'it is no JSON object' };
  if (value['kind'] !== 'halter-model-profiles') return { problem: 'its kind is not "halter-model-profiles"' };
  if (value['version'] !== PROFILE_VERSION)
    return { problem: `it is of another version than ${PROFILE_VERSION}, as far as it says` };
  const all = value['profiles'];
  if (!isObject(all)) return { problem: 'it has no profiles' };
  const ofModel = key.digest !== undefined && Object.hasOwn(all, key.digest) ? all[key.digest] : undefined;
  if (ofModel === undefined) return undefined;
  if (!isObject(ofModel)) return { problem: `what it says of ${key.digest} is no profile` };
  if (!Object.hasOwn(ofModel, key.provider)) return undefined;
  const profile = readProfile(ofModel[key.provider]);
  return profile
    ? { profile: { ...profile, key, speed: {} } }
    : { problem: `what it says of ${key.digest} on ${key.provider} is no profile that this version understands` };
};
