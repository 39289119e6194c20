/**
 * One file for each model that was probed, in the data folder. It can be deleted at any time: the model is probed again.
 * Profiles of others lie in the person's own folder of settings, and count where the model was not probed here.
 */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  isProfileOf,
  type ModelProfile,
  type ProfileKey,
  readProfile,
  sharedProfileOf,
} from '../core/model-profile.ts';
import type { Outcome } from '../core/outcome.ts';
import { writeFileAtomically } from './atomic-file.ts';
import { STORAGE_LIMITS } from './limits.ts';
import { readOwnFile } from './own-file.ts';

export type ModelProfiles = {
  readonly folder: string;
  fileOf(key: ProfileKey): string;
  /**
   * `stale`: there is one, of another digest or of another version, so it does not count. `problems`: a sentence for each
   * file of others that could not be read, or not understood.
   */
  find(key: ProfileKey): Promise<{ profile?: ModelProfile; stale?: true; problems?: string[] }>;
  save(profile: ModelProfile): Promise<Outcome<string>>;
  /** All that were found here. */
  list(): Promise<ModelProfile[]>;
};

/** Where profiles of others are put. */
export const sharedProfilesFolder = (configFolder: string): string => join(configFolder, 'model-profiles');

export const createModelProfiles = ({ data, config }: { data: string; config?: string }): ModelProfiles => {
  const folder = join(data, 'profiles');
  const fileOf = ({ provider, endpoint, model }: ProfileKey): string => {
    const plain = model.replaceAll(/[^a-zA-Z0-9._-]+/g, '-').slice(0, STORAGE_LIMITS.profileNameCharacters);
    const mark = createHash('sha256').update(`${provider}\n${endpoint}\n${model}`).digest('hex').slice(0, 12);
    return join(folder, `${plain}-${mark}.json`);
  };
  return {
    folder,
    fileOf,
    async find(key) {
      const read = await readOwnFile(fileOf(key), STORAGE_LIMITS.profileFileBytes, 'the model counts as not probed');
      const own = read.ok && read.value !== undefined ? readProfile(parse(read.value)) : undefined;
      if (own && isProfileOf(own, key)) return { profile: own };
      const { profile, problems } =
        config === undefined ? NONE_SHARED : await findShared(sharedProfilesFolder(config), key);
      const told = problems.length === 0 ? {} : { problems };
      if (profile !== undefined) return { profile, ...told };
      return { ...(read.ok && read.value !== undefined ? { stale: true } : {}), ...told };
    },
    async list() {
      const files = await jsonFiles(folder);
      const read = await Promise.all(files.map((file) => readJson(file)));
      return read.flatMap((found) => (found.ok ? (readProfile(found.value) ?? []) : []));
    },
    async save(profile) {
      const file = fileOf(profile.key);
      const written = await writeFileAtomically(file, `${JSON.stringify(profile, null, 2)}\n`);
      return written.ok ? { ok: true, value: file } : written;
    },
  };
};

const parse = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
};

const jsonFiles = async (folder: string): Promise<string[]> =>
  (await readdir(folder).catch(() => []))
    .filter((name) => name.endsWith('.json'))
    .sort()
    .slice(0, STORAGE_LIMITS.profileFiles)
    .map((name) => join(folder, name));

const readJson = async (file: string): Promise<Outcome<unknown>> => {
  const read = await readOwnFile(file, STORAGE_LIMITS.sharedProfilesBytes, 'its profiles do not count');
  return read.ok && read.value !== undefined ? { ok: true, value: parse(read.value) } : read;
};

type SharedProfile = { profile?: ModelProfile | undefined; problems: string[] };
const NONE_SHARED: SharedProfile = { problems: [] };

/** The first of the files that has one, by their names. */
const findShared = async (folder: string, key: ProfileKey): Promise<SharedProfile> => {
  const problems: string[] = [];
  for (const file of await jsonFiles(folder)) {
    const read = await readJson(file);
    const found = read.ok ? sharedProfileOf(read.value, key) : undefined;
    if (!read.ok) problems.push(read.error.message);
    else if (found?.problem !== undefined) problems.push(`${file} does not count: ${found.problem}`);
    if (found?.profile !== undefined) return { profile: found.profile, problems };
  }
  return { problems };
};
