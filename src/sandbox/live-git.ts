/**
 * Repositories beside a background command. What it makes of one is put in place as a whole, when git has come to rest, or
 * kept apart as a whole where somebody else changed the repository too; so it is for other commands (`git-unit.ts`).
 */

import fs from 'node:fs';
import path from 'node:path';
import { foldedName } from '../core/policy/sensitive-files.ts';
import type { WithheldChange } from '../core/ports.ts';
import { type AnchoredFolder, openBelow, readSmallBytes } from './anchored.ts';
import type { Beginning } from './beginning.ts';
import { presentSignature, signatureOf } from './bring-in.ts';
import type { Changed } from './changes.ts';
import { readEntries } from './folder-entries.ts';
import { createGitUnits, type GitUnits, leavesOf, OBJECTS } from './git-unit.ts';
import { type Layer, writtenFolder } from './layer.ts';
import { SANDBOX_LIMITS } from './limits.ts';
import { fullStatAt, statAt } from './place.ts';
import { isSameFile } from './same-file.ts';

type Way = readonly string[];

/** There will be another look soon; somebody waits for what there is; the command has ended. */
export type Pace = 'patient' | 'now' | 'last';

/** What the layer does for its repositories. */
export type LiveSide = {
  layer: Layer;
  beginning: Beginning;
  /** What the real file was when both sides held the same last. */
  agreed(way: Way): string | undefined;
  /** What was brought over, or set aside, is as it was then. */
  isHandled(way: Way, signature: string): boolean;
  /** Puts a file of the command in place. */
  put(written: AnchoredFolder, stat: fs.BigIntStats, way: Way): void;
  /** The command's version does not count, and it sees what stands outside, as long as it runs. */
  setAside(way: Way): void;
  /** A copy of the command's version; where it lies. */
  keepCopy(way: Way): string | undefined;
  tell(withheld: WithheldChange): void;
};

/** Somebody's repository that a background command may change: `.git`, where there is one outside. */
export const isLiveRepository = (layer: Layer, way: Way): boolean =>
  foldedName(way.at(-1) ?? path.basename(layer.root)) === '.git' && isFolder(path.join(layer.root, ...way));

export class LiveRepositories {
  readonly #side: LiveSide;
  readonly #units: GitUnits;
  readonly #resting = new Map<string, { state: string; waits: number }>();
  readonly #indexes = new Map<string, Buffer>();

  constructor(side: LiveSide) {
    this.#side = side;
    const isChanged = (file: string): boolean => this.#isChanged(file);
    const indexOf = (folder: Way): Buffer | undefined =>
      this.#indexes.get(folder.join('/')) ?? side.beginning.indexOf(folder);
    this.#units = createGitUnits(side.layer, { isChanged, indexOf }, (child, way) => {
      const real = path.join(side.layer.root, ...way);
      const stat = fullStatAt(real);
      if (stat === undefined) return child.kind !== 'removed' && this.#wasThere(way) ? 'removed' : undefined;
      if (!this.#isChanged(real)) return undefined;
      return isSameFile(path.join(writtenFolder(side.layer), ...way), real) ? 'same' : 'changed';
    });
  }

  /** False where git is at work: then nothing of its files is looked at either. */
  settle(repository: Way, pace: Pace): boolean {
    const { layer } = this.#side;
    const tree = this.#tree(repository);
    const leaves = leavesOf(tree, repository);
    if (leaves.length === 0) return true;
    if (!this.#isAtRest(repository, tree, pace)) return false;
    const held = this.#units.prune(tree, repository);
    if (held !== undefined) {
      const told = {
        path: repository.join('/') || '.',
        cause: 'repository_changed_outside' as const,
        reason: held.reason,
      };
      const kept = held.workTrees.flatMap((each) => this.#keepFiles(each));
      const [first] = kept;
      this.#side.tell(first === undefined ? told : { ...told, kept_at: first });
      for (const { way } of leaves) this.#side.setAside(way);
    } else for (const { way } of leavesOf(tree, repository)) this.#put(way);
    for (const { way } of leaves) if (way.at(-1) === 'index') this.#keepIndex(layer, way);
    return true;
  }

  /** The index as both sides have it. */
  noteIndex(way: Way): void {
    if (way.at(-1) === 'index' && way.some((part) => foldedName(part) === '.git'))
      this.#keepIndex(this.#side.layer, way);
  }

  #keepIndex(layer: Layer, way: Way): void {
    const content = readSmallBytes(path.join(layer.root, ...way), SANDBOX_LIMITS.indexBytes);
    if (content !== undefined) this.#indexes.set(way.slice(0, -1).join('/'), content);
  }

  /** What the command wrote into a repository and nobody has looked at yet; without objects, which change nothing. */
  #tree(repository: Way): Changed {
    const top = folderNamed(repository.at(-1) ?? '');
    const written = openBelow(writtenFolder(this.#side.layer), repository);
    if (written !== undefined) this.#collect(written, repository, top);
    top.children = top.children.filter(({ name }) => !OBJECTS.has(name));
    return top;
  }

  #collect(written: AnchoredFolder, way: Way, into: Changed): void {
    try {
      for (const entry of readEntries(written.self).entries) {
        const here = [...way, entry.name];
        if (entry.isDirectory()) {
          if (OBJECTS.has(entry.name)) continue;
          const folder = folderNamed(entry.name);
          const below = written.child(entry.name);
          if (below !== undefined) this.#collect(below, here, folder);
          if (folder.children.length > 0) into.children.push(folder);
          continue;
        }
        const stat = fs.lstatSync(written.at(entry.name), { bigint: true });
        if (this.#side.isHandled(here, signatureOf(stat))) continue;
        into.children.push({ ...folderNamed(entry.name), kind: kindOf(stat) });
      }
    } catch {
      // It changes while it is looked at; the next look is soon.
    } finally {
      written.close();
    }
  }

  #isAtRest(repository: Way, tree: Changed, pace: Pace): boolean {
    const key = repository.join('/');
    const leaves = leavesOf(tree, repository);
    const written = writtenFolder(this.#side.layer);
    const state = leaves
      .map(({ way }) => `${way.join('/')} ${presentSignature(path.join(written, ...way))}`)
      .join('\n');
    const before = this.#resting.get(key);
    const waits = (before?.waits ?? 0) + 1;
    const isLocked = leaves.some(({ child }) => child.kind === 'file' && child.name.endsWith('.lock'));
    const isQuiet = pace !== 'patient' || before?.state === state;
    if (pace === 'last' || (isQuiet && !isLocked) || waits > SANDBOX_LIMITS.liveGitWaits) {
      this.#resting.delete(key);
      return true;
    }
    this.#resting.set(key, { state, waits });
    return false;
  }

  #put(way: Way): void {
    const folder = openBelow(writtenFolder(this.#side.layer), way.slice(0, -1));
    try {
      const stat = folder && fullStatAt(folder.at(way.at(-1) ?? ''));
      if (folder !== undefined && stat !== undefined) this.#side.put(folder, stat, way);
    } finally {
      folder?.close();
    }
  }

  /** Files that git brought to another commit go with it. */
  #keepFiles(folder: string): string[] {
    const below = path.relative(this.#side.layer.root, folder);
    if (below.startsWith('..') || path.isAbsolute(below)) return [];
    const tree = below.split(path.sep).filter((part) => part !== '');
    const changed = folderNamed('');
    const written = openBelow(writtenFolder(this.#side.layer), tree);
    if (written !== undefined) this.#collect(written, tree, changed);
    changed.children = changed.children.filter(({ name }) => foldedName(name) !== '.git');
    return leavesOf(changed, tree).flatMap(({ child, way }) => {
      if (this.#isOfAnother(tree, way)) return [];
      const kept = child.kind === 'removed' ? undefined : this.#side.keepCopy(way);
      this.#side.setAside(way);
      return kept === undefined ? [] : [kept.slice(0, -(way.join('/').length + 1))];
    });
  }

  /** A repository within the work tree is its own. */
  #isOfAnother(tree: Way, way: Way): boolean {
    for (let length = way.length - 1; length > tree.length; length -= 1) {
      if (presentSignature(path.join(this.#side.layer.root, ...way.slice(0, length), '.git')) !== '') return true;
    }
    return false;
  }

  #isChanged(file: string): boolean {
    const { layer, beginning, agreed } = this.#side;
    const known = agreed(path.relative(layer.root, file).split(path.sep));
    if (known !== undefined) return presentSignature(file) !== known;
    const stat = fullStatAt(file);
    return stat !== undefined && beginning.isChanged(stat);
  }

  #wasThere(way: Way): boolean {
    const known = this.#side.agreed(way);
    return known === undefined ? this.#side.beginning.had(way) === true : known !== '';
  }
}

const folderNamed = (name: string): Changed => ({ name, kind: 'folder', isMerged: true, isWhole: true, children: [] });

const kindOf = (stat: fs.BigIntStats): Changed['kind'] => {
  if (stat.isFile()) return 'file';
  if (stat.isSymbolicLink()) return 'link';
  return stat.isCharacterDevice() && stat.rdev === 0n ? 'removed' : 'other';
};

const isFolder = (file: string): boolean => statAt(file)?.isDirectory() === true;
