/**
 * What several test files need and takes long to make, such as an installed package: whoever needs it first makes it, for
 * all processes of a run.
 */
import fs from 'node:fs';
import path from 'node:path';
import { vi } from 'vitest';
import { SHARED_FOLDER } from '../../scripts/shared-folder.ts';

type Made<T> = { value: T } | { failure: string };

/** `make` gets a folder that lasts until the run ends. Its value is kept as JSON. */
export const onceARun = async <T>(
  name: string,
  longestMs: number,
  make: (folder: string) => Promise<T>,
): Promise<T> => {
  const shared = process.env[SHARED_FOLDER];
  if (shared === undefined)
    throw new Error(`${SHARED_FOLDER} is not set: scripts/shared-folder.ts is not in the settings of Vitest`);
  const folder = path.join(shared, name);
  const file = `${folder}.json`;
  if (isFirst(folder)) {
    const made = await make(folder).then(
      (value): Made<T> => ({ value }),
      (error: Error): Made<T> => ({ failure: error.stack ?? error.message }),
    );
    fs.writeFileSync(`${file}.part`, JSON.stringify(made));
    fs.renameSync(`${file}.part`, file);
  }
  await vi.waitUntil(() => fs.existsSync(file), { timeout: longestMs, interval: 100 });
  const made = JSON.parse(fs.readFileSync(file, 'utf8')) as Made<T>;
  if ('failure' in made) throw new Error(`${name} could not be made for this run: ${made.failure}`);
  return made.value;
};

const isFirst = (folder: string): boolean => {
  try {
    fs.mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
};
