/**
 * Folders of this run in halter's own cache: what stands at /tmp inside, layers, and the filter of system calls. A run that
 * was killed leaves its folders to the next one that starts, which keeps what a command had written.
 */
import { randomUUID } from 'node:crypto';
import { constants, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeFolder } from '../disk/make-folder.ts';
import { isAlive } from './alive.ts';
import { keepLeftLayers } from './left-layers.ts';
import { removeLater } from './run-program.ts';
import { seccompFilter } from './seccomp.ts';
import { SandboxShortage, unlessShort } from './shortage.ts';

/**
 * Where the cache takes nothing: it is read-only, or the disk is full. Every person of the machine can write there, so each
 * has a folder of their own.
 */
export const SHARED_MEMORY = '/dev/shm';
export const MEMORY = `${SHARED_MEMORY}/halter-${process.getuid?.() ?? 0}`;
const LAYERS = 'layers';
/** Where layers of this person may lie. */
export const layerFolders = (cache: string): string[] => [cache, MEMORY].map((parent) => path.join(parent, LAYERS));

export class OwnPlaces {
  readonly cache: string;
  readonly #memory: string;
  readonly #kept: string | undefined;
  readonly #name = `${process.pid}-${randomUUID()}`;
  readonly #made = new Map<string, string | undefined>();
  #layers = 0;

  /** `kept`: where what killed commands had written is kept; nowhere where absent. */
  constructor(cache: string, { memory = MEMORY, kept }: { memory?: string; kept?: string } = {}) {
    this.cache = cache;
    this.#memory = memory;
    this.#kept = kept;
  }

  /** One command finds there what another left. Undefined where halter has no room of its own. */
  temporary(): string | undefined {
    return this.#folder(this.cache, 'tmp');
  }

  /** An empty folder for one layer. */
  layer(parent: string = this.cache): string | undefined {
    const folder = this.#folder(parent, LAYERS);
    if (folder === undefined) return undefined;
    this.#layers += 1;
    const made = path.join(folder, String(this.#layers));
    mkdirSync(made, { mode: 0o700 });
    return made;
  }

  /** A file with the filter of system calls. `unixSockets`: a command may make sockets with a path. */
  filter(allowed: { unixSockets: boolean }): string | undefined {
    const key = `filter ${allowed.unixSockets}`;
    if (!this.#made.has(key)) this.#made.set(key, this.#writeFilter(allowed));
    return this.#made.get(key);
  }

  close(): void {
    for (const made of this.#made.values()) if (made !== undefined) removeFolder(made);
    this.#made.clear();
  }

  /** Where there is a filter for this machine, no command runs without it. */
  #writeFilter({ unixSockets }: { unixSockets: boolean }): string | undefined {
    const filter = seccompFilter({ unixSockets });
    if (filter === undefined) return undefined;
    for (const parent of [this.cache, this.#memory]) {
      const folder = this.#folder(parent, LAYERS);
      if (folder === undefined) continue;
      const file = path.join(folder, `filter-${unixSockets}`);
      try {
        writeFileSync(file, filter, { mode: 0o600 });
        return file;
      } catch (error) {
        unlessShort(error, undefined);
      }
    }
    throw new SandboxShortage('the sandbox could not be made: there is no place for its filter of system calls');
  }

  #folder(parent: string, kind: string): string | undefined {
    const key = path.join(parent, kind);
    if (!this.#made.has(key)) {
      const isShared = parent === this.#memory;
      this.#made.set(key, this.#makeFolder(key, isShared ? [parent, key] : []));
    }
    return this.#made.get(key);
  }

  /** `ours`: folders on the way that have to be this person's alone. */
  #makeFolder(parent: string, ours: readonly string[]): string | undefined {
    try {
      makeFolder(parent);
      // Somebody else may have made it, who could then put another filter in the place of ours.
      if (!ours.every(isOwn)) return undefined;
      this.#removeLeftBehind(parent);
      const own = path.join(parent, this.#name);
      mkdirSync(own, { mode: 0o700 });
      return own;
    } catch (error) {
      return unlessShort(error, undefined);
    }
  }

  #removeLeftBehind(parent: string): void {
    for (const name of readdirSync(parent)) {
      const pid = Number(/^([0-9]+)-/.exec(name)?.[1]);
      if (Number.isNaN(pid) || isAlive(pid)) continue;
      const run = path.join(parent, name);
      if (this.#kept !== undefined && path.basename(parent) === LAYERS) keepLeftLayers(run, this.#kept);
      removeLater(run);
    }
  }
}

const removeFolder = (folder: string): void => {
  try {
    rmSync(folder, { recursive: true });
  } catch {
    removeLater(folder);
  }
};

/** A folder of this person that nobody else can write in. */
const isOwn = (folder: string): boolean => {
  const { mode, uid } = lstatSync(folder);
  return (mode & S_IFMT) === S_IFDIR && uid === process.getuid?.() && (mode & OTHERS_WRITE) === 0;
};
const { S_IFMT, S_IFDIR, S_IWGRP, S_IWOTH } = constants;
const OTHERS_WRITE = S_IWGRP | S_IWOTH;
