/** A command's versions of what could not be put in place, in a folder of halter's own where the person finds them. */
import { constants, copyFileSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { cp, rename } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from '../disk/make-folder.ts';
import { SANDBOX_LIMITS } from './limits.ts';
import { copyLink, statAt } from './place.ts';
import { removeLater } from './run-program.ts';

const DAY_MS = 86_400_000;

/** Of one command. */
export class KeptVersions {
  readonly #parent: string;
  #folder: string | undefined;

  constructor(parent: string) {
    this.#parent = parent;
  }

  /** Takes a file, a link or a folder with all it holds from where it is; says where it is then, undefined where it is lost. */
  async keep(from: string, name: string): Promise<string | undefined> {
    try {
      this.#folder ??= makeTimedFolder(this.#parent);
      const kept = path.join(this.#folder, name);
      makeFolder(path.dirname(kept));
      await moveOrCopy(from, kept);
      return kept;
    } catch {
      return undefined;
    }
  }

  /** A copy of a file or a link; of the same name there may be several. */
  keepCopy(from: string, name: string): string | undefined {
    try {
      this.#folder ??= makeTimedFolder(this.#parent);
      for (let attempt = 1; attempt <= SANDBOX_LIMITS.keptAttempts; attempt += 1) {
        const kept = path.join(this.#folder, attempt === 1 ? name : `${name}.${attempt}`);
        if (copyTo(from, kept)) return kept;
      }
    } catch {
      // There is no room for it.
    }
    return undefined;
  }
}

/** False where there is something of that name. */
const copyTo = (from: string, kept: string): boolean => {
  try {
    makeFolder(path.dirname(kept));
    if (lstatSync(from).isSymbolicLink()) copyLink(from, kept);
    else copyFileSync(from, kept, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
};

/** The folder of all kept versions, without those that are too old. */
export const makeKeptFolder = (parent: string): void => {
  makeFolder(parent);
  removeOld(parent);
};

/** Named by the time, so that a person finds the last one. */
const makeTimedFolder = (parent: string): string => {
  makeKeptFolder(parent);
  const time = new Date().toISOString().replaceAll(':', '-').slice(0, 19);
  for (let attempt = 1; ; attempt += 1) {
    const folder = path.join(parent, attempt === 1 ? time : `${time}-${attempt}`);
    try {
      mkdirSync(folder, { mode: 0o700 });
      return folder;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt === SANDBOX_LIMITS.keptAttempts) throw error;
    }
  }
};

const removeOld = (parent: string): void => {
  const oldest = Date.now() - SANDBOX_LIMITS.keptDays * DAY_MS;
  for (const name of readdirSync(parent)) {
    const folder = path.join(parent, name);
    const changed = statAt(folder)?.mtimeMs;
    if (changed !== undefined && changed < oldest) removeLater(folder);
  }
};

const moveOrCopy = async (from: string, to: string): Promise<void> => {
  try {
    await rename(from, to);
  } catch {
    const filter = (source: string): boolean => {
      const stat = lstatSync(source);
      return stat.isFile() || stat.isDirectory() || stat.isSymbolicLink();
    };
    await cp(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true, filter });
  }
};
