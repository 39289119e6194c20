/** One file for each model that was probed, in the data folder. It can be deleted at any time: the model is probed again. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isProfileOf, type ModelProfile, type ProfileKey, readProfile } from '../core/model-profile.ts';
import type { Outcome } from '../core/outcome.ts';
import { writeFileAtomically } from './atomic-file.ts';
import { STORAGE_LIMITS } from './limits.ts';
import { readOwnFile } from './own-file.ts';

export type ModelProfiles = {
  readonly folder: string;
  fileOf(key: ProfileKey): string;
  /** `stale`: there is one, of another digest or of another version, so it does not count. */
  find(key: ProfileKey): Promise<{ profile?: ModelProfile; stale?: true }>;
  save(profile: ModelProfile): Promise<Outcome<string>>;
};

export const createModelProfiles = (dataFolder: string): ModelProfiles => {
  const folder = join(dataFolder, 'profiles');
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
      if (!read.ok || read.value === undefined) return {};
      const profile = parse(read.value);
      return profile && isProfileOf(profile, key) ? { profile } : { stale: true };
    },
    async save(profile) {
      const file = fileOf(profile.key);
      const written = await writeFileAtomically(file, `${JSON.stringify(profile, null, 2)}\n`);
      return written.ok ? { ok: true, value: file } : written;
    },
  };
};

const parse = (bytes: Uint8Array): ModelProfile | undefined => {
  try {
    return readProfile(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
};
