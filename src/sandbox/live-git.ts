/**
 * Repositories beside a background command. What it makes of one is put in place as a whole, when git has come to rest, or
 * kept apart as a whole where somebody else changed the repository too; so it is for other commands (`git-unit.ts`).
 */

import fs from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { foldedName } from '../core/policy/sensitive-files.ts';
import type { WithheldChange } from '../core/ports.ts';
import { makeFolder } from '../disk/make-folder.ts';
import { type AnchoredFolder, openBelow, readSmallBytes } from './anchored.ts';
import type { Beginning } from './beginning.ts';
import { presentSignature, readWhole, signatureOf } from './bring-in.ts';
import type { Changed } from './changes.ts';
import { namesIn, readEntries } from './folder-entries.ts';
import { looksLikeRepository } from './git-folder.ts';
import { createGitUnits, type GitUnits, type Leaf, leavesOf, OBJECTS } from './git-unit.ts';
import { filesOf, findingOf, isTable, type RepositoryOptions } from './held-repositories.ts';
import { asideFolder, type Layer, writtenFolder } from './layer.ts';
import { SANDBOX_LIMITS } from './limits.ts';
import { copyLink, fullStatAt, statAt } from './place.ts';
import type { Finding } from './repository-look.ts';
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
  /** Puts a file of the command in place, of which `written` holds a copy; `isLeft`: it is handled without that. */
  put(written: AnchoredFolder, stat: fs.BigIntStats, way: Way, isLeft: boolean): void;
  /** The command's version does not count, and it sees what stands outside, as long as it runs. */
  setAside(way: Way): void;
  /** A copy of the command's version; where it lies. */
  keepCopy(way: Way): string | undefined;
  tell(withheld: WithheldChange): void;
  look: RepositoryOptions;
};

/** A repository that a background command may change or has made. */
export const isLiveRepository = (layer: Layer, way: Way): boolean => {
  const real = path.join(layer.root, ...way);
  if (foldedName(way.at(-1) ?? path.basename(layer.root)) === '.git')
    return isFolder(real) || isFolder(path.join(writtenFolder(layer), ...way));
  return statAt(path.join(real, 'HEAD')) !== undefined && looksLikeRepository(new Set(namesIn(real)));
};

/** What was looked at: a copy of it, which the command cannot change any more. */
type Looked = { state: string; finding: Finding | undefined; copy: string; stats: ReadonlyMap<string, fs.BigIntStats> };

export class LiveRepositories {
  readonly #side: LiveSide;
  readonly #units: GitUnits;
  readonly #looked = new Map<string, Looked>();
  readonly #told = new Set<string>();
  /** As it was at the last look, where git may have been at work. */
  readonly #seen = new Map<string, { state: string; waits: number }>();
  #copies = 0;
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

  /** Looks at what the command put into its repositories; nothing of one is put in place before. */
  async look(pace: Pace): Promise<void> {
    for (const repository of this.#changed([])) {
      const key = repository.join('/');
      const tree = this.#tree(repository, true);
      const leaves = leavesOf(tree, repository);
      const state = this.#stateOf(leaves);
      const before = this.#looked.get(key);
      if (before?.state === state && (before.finding === undefined || pace !== 'last')) continue;
      const waits = (this.#seen.get(key)?.waits ?? 0) + 1;
      // One that git is at work in is looked at when it rests.
      const isResting =
        pace !== 'patient' || this.#seen.get(key)?.state === state || waits > SANDBOX_LIMITS.liveGitWaits;
      this.#seen.set(key, { state, waits });
      if (!isResting || leaves.length === 0) continue;
      this.#forget(key);
      const looked = await this.#lookAt(repository, leaves, state).catch(() => undefined);
      if (looked !== undefined) this.#looked.set(key, looked);
      else if (pace === 'last') this.#looked.set(key, { state, finding: UNREAD, copy: '', stats: new Map() });
    }
  }

  /** Objects of repositories of which nothing counts. */
  heldObjects(): Way[] {
    return [...this.#looked].flatMap(([key, { finding }]) =>
      finding === undefined ? [] : [[...key.split('/').filter((part) => part !== ''), 'objects']],
    );
  }

  /** Nothing of it counts by now. */
  isHeld(repository: Way): boolean {
    return this.#looked.get(repository.join('/'))?.finding !== undefined;
  }

  async #lookAt(repository: Way, leaves: readonly Leaf[], state: string): Promise<Looked | undefined> {
    const { layer, look } = this.#side;
    this.#copies += 1;
    const copy = path.join(asideFolder(layer), `repository-${this.#copies}`);
    const stats = await copyLeaves(layer, leaves, copy);
    // It was changed while it was copied: the next look is soon.
    if (stats === undefined || this.#stateOf(leavesOf(this.#tree(repository, true), repository)) !== state) {
      fs.rmSync(copy, { recursive: true, force: true });
      return undefined;
    }
    const files = filesOf(leaves, repository);
    const finding = await findingOf(layer, { way: repository, files, written: path.join(copy, ...repository) }, look);
    return { state, finding, copy, stats };
  }

  #forget(key: string): void {
    const looked = this.#looked.get(key);
    if (looked !== undefined) fs.rmSync(looked.copy, { recursive: true, force: true });
    this.#looked.delete(key);
  }

  /** The outermost repositories in which the command wrote something. */
  #changed(way: Way): Way[] {
    const { layer } = this.#side;
    if (isLiveRepository(layer, way)) return [way];
    const written = openBelow(writtenFolder(layer), way);
    if (written === undefined) return [];
    try {
      const folders = readEntries(written.self).entries.filter((entry) => entry.isDirectory());
      return folders.flatMap(({ name }) => this.#changed([...way, name]));
    } catch {
      return [];
    } finally {
      written.close();
    }
  }

  /** False where git is at work: then nothing of its files is looked at either. */
  settle(repository: Way, pace: Pace): boolean {
    const key = repository.join('/');
    const all = leavesOf(this.#tree(repository, true), repository);
    if (all.length === 0) return true;
    const looked = this.#looked.get(key);
    if (looked?.state !== this.#stateOf(all)) return false;
    if (looked.finding !== undefined) {
      if (!this.#told.has(key))
        this.#side.tell({ path: key || '.', cause: 'runs_later', reason: looked.finding.reason });
      this.#told.add(key);
      return true;
    }
    // Objects first: they change nothing by themselves.
    const objects = all.filter(({ way }) => OBJECTS.has(way[repository.length] ?? ''));
    for (const { way } of objects) this.#put(way, looked, isTable(way.slice(repository.length).join('/')));
    const isSettled = this.#settleRest(repository, pace === 'patient' ? 'now' : pace, looked);
    if (isSettled) {
      this.#forget(key);
      this.#seen.delete(key);
    } else
      this.#looked.set(key, { ...looked, state: this.#stateOf(leavesOf(this.#tree(repository, true), repository)) });
    return isSettled;
  }

  #settleRest(repository: Way, pace: Pace, looked: Looked): boolean {
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
    } else for (const { way } of leavesOf(tree, repository)) this.#put(way, looked);
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

  /** What the command wrote into a repository and nobody has looked at yet. */
  #tree(repository: Way, withObjects = false): Changed {
    const top = folderNamed(repository.at(-1) ?? '');
    const written = openBelow(writtenFolder(this.#side.layer), repository);
    if (written !== undefined) this.#collect(written, repository, top, withObjects);
    if (!withObjects) top.children = top.children.filter(({ name }) => !OBJECTS.has(name));
    return top;
  }

  #collect(written: AnchoredFolder, way: Way, into: Changed, withObjects = false): void {
    try {
      for (const entry of readEntries(written.self).entries) {
        const here = [...way, entry.name];
        if (entry.isDirectory()) {
          if (OBJECTS.has(entry.name) && !withObjects) continue;
          const folder = folderNamed(entry.name);
          const below = written.child(entry.name);
          if (below !== undefined) this.#collect(below, here, folder, withObjects);
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

  #stateOf(leaves: readonly Leaf[]): string {
    const written = writtenFolder(this.#side.layer);
    return leaves.map(({ way }) => `${way.join('/')} ${presentSignature(path.join(written, ...way))}`).join('\n');
  }

  #isAtRest(repository: Way, tree: Changed, pace: Pace): boolean {
    const key = repository.join('/');
    const leaves = leavesOf(tree, repository);
    const state = this.#stateOf(leaves);
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

  /** What was looked at, whatever the command has made of it by now. */
  #put(way: Way, { copy, stats }: Looked, isLeft = false): void {
    const stat = stats.get(way.join('/'));
    if (stat === undefined) return;
    const folder = openBelow(copy, way.slice(0, -1)) ?? openBelow(copy, []);
    try {
      if (folder !== undefined) this.#side.put(folder, stat, way, isLeft);
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

/** Undefined where one of them changed meanwhile. */
const copyLeaves = async (
  layer: Layer,
  leaves: readonly Leaf[],
  copy: string,
): Promise<Map<string, fs.BigIntStats> | undefined> => {
  const stats = new Map<string, fs.BigIntStats>();
  fs.mkdirSync(copy);
  for (const [index, { way }] of leaves.entries()) {
    if (index % SANDBOX_LIMITS.listedAtOnce === SANDBOX_LIMITS.listedAtOnce - 1) await setImmediate();
    const folder = openBelow(writtenFolder(layer), way.slice(0, -1));
    if (folder === undefined) return undefined;
    try {
      const from = folder.at(way.at(-1) ?? '');
      const stat = fs.lstatSync(from, { bigint: true });
      const to = path.join(copy, ...way);
      makeFolder(path.dirname(to));
      if (stat.isFile()) fs.writeFileSync(to, readWhole(from), { mode: (Number(stat.mode) & 0o777) | 0o400 });
      if (stat.isSymbolicLink()) copyLink(from, to);
      stats.set(way.join('/'), stat);
    } catch {
      return undefined;
    } finally {
      folder.close();
    }
  }
  return stats;
};

const UNREAD: Finding = { reason: 'it could not be read' };

const folderNamed = (name: string): Changed => ({ name, kind: 'folder', isMerged: true, isWhole: true, children: [] });

const kindOf = (stat: fs.BigIntStats): Changed['kind'] => {
  if (stat.isFile()) return 'file';
  if (stat.isSymbolicLink()) return 'link';
  return stat.isCharacterDevice() && stat.rdev === 0n ? 'removed' : 'other';
};

const isFolder = (file: string): boolean => statAt(file)?.isDirectory() === true;
