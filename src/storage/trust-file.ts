/**
 * The folders whose own settings may count (`halter trust`), each by its real path and by nothing that begins like it, and
 * as they were when the person said so: a change is asked about again.
 */

import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { diskFailure } from '../disk/disk-failure.ts';
import { writeFileAtomically } from './atomic-file.ts';
import { waitForLock } from './file-lock.ts';
import { STORAGE_LIMITS } from './limits.ts';
import { readOwnFile } from './own-file.ts';
import { projectDigest } from './project-digest.ts';

const VERSION = 1;

type TrustedFolder = { path: string; created_at: number; digest?: string };
export type TrustFile = {
  readonly path: string;
  /** False, with the reason in `warning`, where the file cannot be believed or the folder's settings are other ones by now. */
  isTrusted(folder: string): Promise<{ trusted: boolean; warning?: string }>;
  trust(folder: string): Promise<Outcome<void>>;
  distrust(folder: string): Promise<Outcome<void>>;
};

export type TrustFileOptions = { /** `halterPaths(…).config` */ folder: string; now?(): number };

export const createTrustFile = ({ folder: configFolder, now = Date.now }: TrustFileOptions): TrustFile => {
  const path = join(configFolder, 'trust.json');

  const read = async (): Promise<Outcome<TrustedFolder[]>> => {
    const bytes = await readOwnFile(path, STORAGE_LIMITS.configFileBytes, 'no folder is trusted by it', {
      grants: true,
    });
    if (!bytes.ok) return bytes;
    if (bytes.value === undefined) return succeed([]);
    const folders = parseFolders(bytes.value);
    return folders
      ? succeed(folders)
      : failure('parse_error', `${path} is damaged, so no folder is trusted by it; mend it or move it away`, 'damaged');
  };
  const change = async (
    folder: string,
    changed: (others: TrustedFolder[], real: string) => TrustedFolder[] | Promise<TrustedFolder[]>,
  ): Promise<Outcome<void>> => {
    const held = await waitForLock(
      join(configFolder, 'trust.lock'),
      STORAGE_LIMITS.lockWaitMs,
      STORAGE_LIMITS.lockRetryMs,
    );
    if (!held.ok) return held;
    try {
      const real = await realpath(folder);
      const folders = await read();
      if (!folders.ok) return folders;
      const others = folders.value.filter((entry) => entry.path !== real);
      const text = JSON.stringify({ version: VERSION, folders: await changed(others, real) }, null, 2);
      return await writeFileAtomically(path, `${text}\n`);
    } catch (error) {
      return diskFailure(`${folder} cannot be opened`, error);
    } finally {
      held.value.release();
    }
  };

  return {
    path,
    isTrusted: async (folder) => {
      const folders = await read();
      if (!folders.ok) return { trusted: false, warning: folders.error.message };
      // A folder that cannot be opened is trusted by nobody.
      const real = await realpath(folder).catch(() => undefined);
      const entry = folders.value.find(({ path: known }) => known === real);
      if (entry === undefined || real === undefined) return { trusted: false };
      const digest = await projectDigest(real);
      if (digest !== undefined && digest === entry.digest) return { trusted: true };
      const warning = `${real}/.halter has changed since it was trusted, so it does not count. Look at it, then \`halter trust\` again.`;
      return { trusted: false, warning };
    },
    trust: (folder) =>
      change(folder, async (others, real) => {
        const digest = await projectDigest(real);
        return [...others, { path: real, created_at: now(), ...(digest === undefined ? {} : { digest }) }];
      }),
    distrust: (folder) => change(folder, (others) => others),
  };
};

const parseFolders = (bytes: Uint8Array): TrustedFolder[] | undefined => {
  try {
    const value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Record<string, unknown> | null;
    const folders = value?.['version'] === VERSION ? value['folders'] : undefined;
    return Array.isArray(folders) && folders.every(isFolder) ? folders : undefined;
  } catch {
    return undefined;
  }
};
const isFolder = (value: unknown): value is TrustedFolder =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Partial<TrustedFolder>).path === 'string' &&
  typeof (value as Partial<TrustedFolder>).created_at === 'number';
