/**
 * What was in a folder when a command began, as far as it has to be known to tell afterwards what others changed there
 * meanwhile. The time of that moment is the file system's own. A file that was changed later has a later `ctime`, which
 * no program sets; that a file is missing later says nothing, so names are listed, while the command starts already.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isAutoExecutedPath } from '../core/policy/sensitive-files.ts';
import { readEntries } from './folder-entries.ts';
import { SANDBOX_LIMITS } from './limits.ts';
import { isLeftOut } from './watch-tree.ts';

const { O_RDONLY, O_RDWR, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
/** A file without a name, which nobody sees. */
const O_TMPFILE = 0o20000000 | O_DIRECTORY;

type Listed = {
  ctimeNs: bigint;
  mode: number;
  names: ReadonlySet<string>;
  folders: readonly string[];
  links: readonly string[];
  readAt: bigint;
};
/** Folders by their path, as they were listed for an earlier command. */
export type Listings = Map<string, Listed>;

export class Beginning {
  readonly #root: string;
  readonly #stamp: bigint;
  readonly #listed: Listings;
  readonly #earlier: Listings;
  readonly #indexes = new Map<string, number>();
  readonly #walk: Promise<void>;
  #isClosed = false;
  #isListed = false;

  /** `scratch`: a folder that can be written to where the root cannot. `earlier`: listings that may be right still. */
  constructor(root: string, scratch: string, earlier: Listings = new Map()) {
    this.#root = root;
    this.#stamp = timeOf(root) ?? timeOf(scratch) ?? timeByFile(scratch);
    this.#earlier = earlier;
    this.#listed = new Map(earlier);
    this.#walk = this.#list();
    // What could not be listed is not known.
    const done = (): void => {
      this.#isListed = true;
    };
    this.#walk.then(done, done);
  }

  get isListed(): boolean {
    return this.#isListed;
  }

  /** The names are complete only afterwards. */
  async listed(): Promise<void> {
    await this.#walk;
  }

  isChanged(stat: fs.BigIntStats): boolean {
    return stat.ctimeNs > this.#stamp;
  }

  /** Whether there was something of that name; undefined where it was not looked at. */
  had(way: readonly string[]): boolean | undefined {
    for (let length = way.length - 1; length >= 0; length -= 1) {
      const folder = this.#listed.get(way.slice(0, length).join('/'));
      if (folder === undefined) continue;
      if (!folder.names.has(way[length] ?? '')) return false;
      return length === way.length - 1 ? true : undefined;
    }
    return undefined;
  }

  /** The links below the folder, by their whole paths. */
  links(): string[] {
    return [...this.#listed].flatMap(([key, { links }]) => links.map((name) => path.join(this.#root, key, name)));
  }

  /** The folders of repositories that were there, by their whole paths. */
  repositories(): string[] {
    return [...this.#listed].flatMap(([key, { names, folders }]) => {
      const folder = path.join(this.#root, key);
      const own = names.has('HEAD') && folders.includes('objects') ? [folder] : [];
      return folders.includes('.git') ? [...own, path.join(folder, '.git')] : own;
    });
  }

  /** The rights of a folder. */
  modeOf(way: readonly string[]): number | undefined {
    return this.#listed.get(way.join('/'))?.mode;
  }

  /** What the index of a repository held; git puts another file in its place and leaves this one as it was. */
  indexOf(repository: readonly string[]): Buffer | undefined {
    const descriptor = this.#indexes.get(repository.join('/'));
    if (descriptor === undefined) return undefined;
    const { size } = fs.fstatSync(descriptor);
    if (size > SANDBOX_LIMITS.indexBytes) return undefined;
    const content = Buffer.alloc(size);
    return fs.readSync(descriptor, content, 0, size, 0) === size ? content : undefined;
  }

  close(): void {
    this.#isClosed = true;
    for (const descriptor of this.#indexes.values()) fs.closeSync(descriptor);
    this.#indexes.clear();
  }

  /** In small parts, so that nothing else waits. The nearest folders come first. */
  async #list(): Promise<void> {
    this.#keepIndex(['.git']);
    const seen = new Set<string>();
    let names = 0;
    const waiting: (readonly string[])[] = [[]];
    // Where a link counts most: what lies in them is autoloaded.
    const first: (readonly string[])[] = [];
    let next = 0;
    for (let at = 0; at < SANDBOX_LIMITS.listedFolders; at += 1) {
      if (at % SANDBOX_LIMITS.listedAtOnce === SANDBOX_LIMITS.listedAtOnce - 1) await setImmediate();
      const way = first.pop() ?? waiting[next++];
      if (way === undefined) break;
      const listed = this.#isClosed ? undefined : this.#listFolder(way);
      if (listed === undefined) continue;
      seen.add(way.join('/'));
      names += listed.names.size;
      if (names > SANDBOX_LIMITS.listedNames) break;
      // Of a linked worktree too, whose folder in the repository has any name.
      if (listed.names.has('HEAD') && listed.names.has('index')) this.#keepIndex(way);
      if (way.length > 0 && listed.folders.includes('.git')) this.#keepIndex([...way, '.git']);
      for (const name of listed.folders) {
        if (isLeftOut([...way, name])) continue;
        (name === 'hooks' || isAutoExecutedPath(name) ? first : waiting).push([...way, name]);
      }
    }
    for (const key of this.#listed.keys()) if (!seen.has(key)) this.#listed.delete(key);
    if (this.#isClosed) return;
    this.#earlier.clear();
    for (const [key, listed] of this.#listed) this.#earlier.set(key, listed);
  }

  #listFolder(way: readonly string[]): Listed | undefined {
    const folder = path.join(this.#root, ...way);
    const key = way.join('/');
    try {
      const { ctimeNs, mode } = fs.lstatSync(folder, { bigint: true });
      const known = this.#listed.get(key);
      // What was read in the moment of a change may be only a part of it.
      if (known?.ctimeNs === ctimeNs && ctimeNs < known.readAt) return known;
      const entries = readEntries(folder).entries;
      const listed = {
        ctimeNs,
        mode: Number(mode) & 0o7777,
        names: new Set(entries.map(({ name }) => name)),
        folders: entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])),
        links: entries.flatMap((entry) => (entry.isSymbolicLink() ? [entry.name] : [])),
        readAt: this.#stamp,
      };
      this.#listed.set(key, listed);
      return listed;
    } catch {
      this.#listed.delete(key);
      return undefined;
    }
  }

  #keepIndex(repository: readonly string[]): void {
    const key = repository.join('/');
    if (this.#indexes.has(key) || this.#indexes.size >= SANDBOX_LIMITS.keptIndexes) return;
    try {
      const file = path.join(this.#root, ...repository, 'index');
      this.#indexes.set(key, fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
    } catch {
      // It has none yet.
    }
  }
}

const timeOf = (folder: string): bigint | undefined => {
  try {
    return timeOfOpened(fs.openSync(folder, O_TMPFILE | O_RDWR, 0o600));
  } catch {
    return undefined;
  }
};

/** Not every file system has files without a name. */
const timeByFile = (folder: string): bigint => {
  const file = path.join(folder, 'began');
  try {
    return timeOfOpened(fs.openSync(file, 'wx', 0o600));
  } finally {
    fs.rmSync(file, { force: true });
  }
};

const timeOfOpened = (descriptor: number): bigint => {
  try {
    return fs.fstatSync(descriptor, { bigint: true }).ctimeNs;
  } finally {
    fs.closeSync(descriptor);
  }
};
