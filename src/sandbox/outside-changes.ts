/**
 * What others changed in the real folder while a command ran, where the command changed it too. What stands there stays;
 * the command's version is put by. Nothing is merged: what the command had read is not known.
 */

import fs from 'node:fs';
import path from 'node:path';
import { foldedName } from '../core/policy/sensitive-files.ts';
import type { WithheldChange } from '../core/ports.ts';
import type { Beginning } from './beginning.ts';
import type { Changed } from './changes.ts';
import { pathOfBytes } from './folder-entries.ts';
import { createGitUnits, type GitUnits, isRepositoryFolder } from './git-unit.ts';
import type { KeptVersions } from './kept-versions.ts';
import { type Layer, writtenFolder } from './layer.ts';
import { isSameFile } from './same-file.ts';

export type OutsideOptions = {
  layer: Layer;
  beginning: Beginning;
  kept: KeptVersions;
  /** Work trees, by their whole paths, whose repository lies elsewhere and was kept apart. */
  apart?: readonly string[];
};
type Way = readonly string[];

type Told = { -readonly [Key in keyof WithheldChange]: WithheldChange[Key] };

/** How a name differs from what it was when the command began; `same` is what the command made of it too. */
type Difference = 'changed' | 'removed' | 'same' | undefined;

export class OutsideChanges {
  readonly withheld: WithheldChange[] = [];
  readonly #layer: Layer;
  readonly #beginning: Beginning;
  readonly #kept: KeptVersions;
  readonly #git: GitUnits;
  /** What stood there when it was looked at first: putting one file in place may touch the `ctime` of another. */
  readonly #found = new Map<string, string>();
  /** Work trees whose files are kept apart with their repository: what is told of each. */
  readonly #apart = new Map<string, Told>();

  /** Work trees outside of this layer that belong to a repository in it which was kept apart. */
  readonly apart: string[] = [];

  constructor({ layer, beginning, kept, apart = [] }: OutsideOptions) {
    this.#layer = layer;
    this.#beginning = beginning;
    this.#kept = kept;
    if (apart.includes(layer.root)) this.#tellApart();
    const isChanged = (file: string): boolean => {
      const stat = statAt(file);
      return stat !== undefined && beginning.isChanged(stat);
    };
    const indexOf = (folder: Way): Buffer | undefined => beginning.indexOf(folder);
    // What git keeps beside its objects are files.
    this.#git = createGitUnits(layer, { isChanged, indexOf }, (child, way) => {
      const difference = this.#fileDifference(child, way);
      return difference === 'folder' ? 'changed' : difference;
    });
  }

  /** Nothing of the repository counts, nor the files that its commits brought; its objects are put by. */
  async hold(repository: Changed, way: Way, reason: string): Promise<void> {
    const moved = this.#git.moved(repository, way);
    const kept_at = await this.#keep([...way, 'objects']);
    const told: Told = { path: way.join('/') || '.', cause: 'runs_later', reason };
    if (kept_at !== undefined) told.kept_at = kept_at;
    this.withheld.push(told);
    this.#setApart(moved, told);
  }

  /** Takes what cannot be put in place out of the tree. */
  async prune(folder: Changed, way: Way): Promise<void> {
    // The folder of the layer may be a repository itself.
    if (way.length === 0 && isRepositoryFolder(this.#layer, way) && this.#isUnit(folder, way)) return;
    const kept: Changed[] = [];
    // Whether files count depends on their repository.
    folder.children.sort((a, b) => Number(isGitFolder(b)) - Number(isGitFolder(a)));
    for (const child of folder.children) if (await this.#isApplied(child, [...way, child.name])) kept.push(child);
    if (kept.length < folder.children.length) folder.isWhole = false;
    folder.children = kept;
  }

  /** Looks once more, right before it is put in place. */
  async isStill(child: Changed, way: Way): Promise<boolean> {
    if (child.kind === 'folder' && child.isMerged) {
      return !isRepositoryFolder(this.#layer, way) || this.#isUnit(child, way);
    }
    if (await this.#isKeptApart(child, way)) return false;
    const stat = statAt(this.#real(way));
    const now = stat && signatureOf(stat);
    return this.#found.get(way.join('/')) === now || (await this.#isApplied(child, way));
  }

  /** What the system would not take. */
  async refused(way: Way, error: unknown): Promise<void> {
    await this.#withhold(way, { cause: 'not_written', reason: reasonOf(error) });
  }

  async #isApplied(child: Changed, way: Way): Promise<boolean> {
    if (child.kind === 'folder' && child.isMerged) {
      if (isRepositoryFolder(this.#layer, way)) return this.#isUnit(child, way);
      await this.prune(child, way);
      return true;
    }
    if (await this.#isKeptApart(child, way)) return false;
    const difference = await this.#difference(child, way);
    if (difference === undefined) return true;
    if (difference !== 'same') await this.#withhold(way, faultOf(child, difference));
    return false;
  }

  #isUnit(child: Changed, way: Way): boolean {
    const held = this.#git.prune(child, way);
    if (held === undefined) return true;
    const told: Told = { path: way.join('/') || '.', cause: 'repository_changed_outside', reason: held.reason };
    this.withheld.push(told);
    this.#setApart(held.workTrees, told);
    return true;
  }

  #setApart(workTrees: readonly string[], told: Told): void {
    for (const tree of workTrees) {
      const below = path.relative(this.#layer.root, tree);
      const isElsewhere = below.startsWith('..') || path.isAbsolute(below);
      if (isElsewhere) this.apart.push(tree);
      else this.#apart.set(below, told);
    }
  }

  #tellApart(): void {
    const reason = 'its repository was changed outside while the command ran, and these files are of another commit';
    const told: Told = { path: '.', cause: 'repository_changed_outside', reason };
    this.#apart.set('', told);
    this.withheld.push(told);
  }

  /** The command's version of a file goes with its repository: it is put by, and told of there. */
  async #isKeptApart(child: Changed, way: Way): Promise<boolean> {
    const told = this.#apartOf(way);
    if (told === undefined) return false;
    const kept = child.kind === 'removed' ? undefined : await this.#keep(way);
    if (kept !== undefined) told.kept_at ??= kept.slice(0, -(way.join('/').length + 1));
    return true;
  }

  /** The nearest work tree decides. */
  #apartOf(way: Way): Told | undefined {
    if (this.#apart.size === 0) return undefined;
    for (let length = way.length - 1; length >= 0; length -= 1) {
      const folder = way.slice(0, length);
      const told = this.#apart.get(folder.join('/'));
      if (told !== undefined || statAt(this.#real([...folder, '.git'])) !== undefined) return told;
    }
    return undefined;
  }

  async #difference(child: Changed, way: Way): Promise<Difference> {
    const difference = this.#fileDifference(child, way);
    if (difference !== 'folder') return difference;
    return (await this.#isChangedBelow(this.#real(way))) ? 'changed' : undefined;
  }

  #fileDifference(child: Changed, way: Way): Difference | 'folder' {
    const real = this.#real(way);
    const now = statAt(real);
    if (now !== undefined) this.#found.set(way.join('/'), signatureOf(now));
    if (now === undefined) return child.kind !== 'removed' && this.#beginning.had(way) === true ? 'removed' : undefined;
    if (now.isDirectory()) return 'folder';
    if (!this.#beginning.isChanged(now)) return undefined;
    return isSameFile(path.join(writtenFolder(this.#layer), ...way), real) ? 'same' : 'changed';
  }

  /** By bytes, since what was made there counts whatever its name is. */
  async #isChangedBelow(folder: string | Buffer): Promise<boolean> {
    const stat = statAt(folder);
    if (stat === undefined) return false;
    if (this.#beginning.isChanged(stat)) return true;
    if (!stat.isDirectory()) return false;
    for (const name of await fs.promises.readdir(folder, { encoding: 'buffer' })) {
      if (await this.#isChangedBelow(pathOfBytes(folder, name))) return true;
    }
    return false;
  }

  async #withhold(way: Way, fault: Pick<WithheldChange, 'cause' | 'reason'>): Promise<void> {
    const kept_at = await this.#keep(way);
    this.withheld.push({ path: way.join('/'), ...fault, ...(kept_at === undefined ? {} : { kept_at }) });
  }

  async #keep(way: Way): Promise<string | undefined> {
    const written = path.join(writtenFolder(this.#layer), ...way);
    const stat = statAt(written);
    const isSomething = stat !== undefined && (stat.isFile() || stat.isSymbolicLink() || stat.isDirectory());
    return isSomething ? await this.#kept.keep(written, way.join('/')) : undefined;
  }

  #real(way: Way): string {
    return path.join(this.#layer.root, ...way);
  }
}

const isGitFolder = ({ name }: Changed): boolean => foldedName(name) === '.git';

const faultOf = (child: Changed, difference: 'changed' | 'removed'): Pick<WithheldChange, 'cause' | 'reason'> => {
  const meant = child.kind === 'removed' ? ', and the command would have removed it' : '';
  return { cause: 'changed_outside', reason: `it was ${difference} outside while the command ran${meant}` };
};

const statAt = (file: string | Buffer): fs.BigIntStats | undefined => {
  try {
    return fs.lstatSync(file, { bigint: true });
  } catch {
    return undefined;
  }
};

/** Without the `ctime`. */
const signatureOf = ({ ino, mode, size, mtimeNs }: fs.BigIntStats): string => `${ino} ${mode} ${size} ${mtimeNs}`;

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your share of the disk is used up',
  EBUSY: 'something is mounted there',
};
export const reasonOf = (error: unknown): string => {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return REASONS[code] ?? `it could not be written (${code || message})`;
};
