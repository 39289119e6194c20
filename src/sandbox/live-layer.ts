/**
 * The layer of a command that goes on in the background. What it writes is judged and copied into the real folder about
 * once a second; what changes in the real folder is written into its layer, so that it sees edits and its file watchers
 * hear of them. Neither side is trusted to hold still: every name is reached through folders that are held open.
 */

import fs from 'node:fs';
import path from 'node:path';
import { foldedName } from '../core/policy/sensitive-files.ts';
import type { WithheldChange } from '../core/ports.ts';
import { type AnchoredFolder, openBelow, readSmallFile } from './anchored.ts';
import type { Beginning } from './beginning.ts';
import { bringEntry, isSame, presentSignature, readWhole, signatureOf } from './bring-in.ts';
import { isChangedBelow } from './changed-below.ts';
import { readEntries, readNames } from './folder-entries.ts';
import { type Change, namesThatMakeRepository } from './git-folder.ts';
import { type Held, heldAt } from './held.ts';
import type { RepositoryOptions } from './held-repositories.ts';
import type { Judge } from './judge.ts';
import { keepLeft } from './keep-left.ts';
import type { KeptVersions } from './kept-versions.ts';
import { asideFolder, type Layer, seenFolder, writtenFolder } from './layer.ts';
import { SANDBOX_LIMITS } from './limits.ts';
import { isLiveRepository, LiveRepositories, type Pace } from './live-git.ts';
import { keepOdd, ODD_NAME, takeAllOdd } from './odd-entries.ts';
import { copyLink, fullStatAt, place, putAside, statAt as statOf } from './place.ts';
import { watchTree } from './watch-tree.ts';

export type LiveLayerOptions = {
  layer: Layer;
  judge: Judge;
  beginning: Beginning;
  kept: KeptVersions;
  repositories: RepositoryOptions;
  onWithheld(withheld: WithheldChange): void;
  /** Asked before something is put in place. */
  mayWrite?: (() => Promise<boolean>) | undefined;
};

export class LiveLayer {
  readonly #layer: Layer;
  readonly #beginning: Beginning;
  readonly #kept: KeptVersions;
  readonly #judge: Judge;
  readonly #onWithheld: (withheld: WithheldChange) => void;
  readonly #mayWrite: (() => Promise<boolean>) | undefined;
  /** What was brought over already: path → what it was then. */
  readonly #known = new Map<string, string>();
  /** What the real file was when both sides held the same last; what it is later came from somebody else. */
  readonly #agreed = new Map<string, string>();
  readonly #told = new Set<string>();
  readonly #repositories: LiveRepositories;
  /** What changed outside while git was at work in the command: it is shown afterwards. */
  readonly #late = new Map<string, readonly string[]>();
  #inside = '';
  /** What waits for a yes, and what had its answer: path → the change, as it was held. */
  readonly #held = new Map<string, readonly Held[]>();
  readonly #answered = new Map<string, string>();
  #sweeping: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopWatching: (() => void) | undefined;
  #aside = 0;
  #conflicts = 0;
  #isOver = false;

  constructor({ layer, judge, beginning, kept, repositories, onWithheld, mayWrite }: LiveLayerOptions) {
    this.#layer = layer;
    this.#judge = judge;
    this.#beginning = beginning;
    this.#kept = kept;
    this.#onWithheld = onWithheld;
    this.#mayWrite = mayWrite;
    this.#repositories = new LiveRepositories({
      layer,
      beginning,
      agreed: (way) => this.#agreed.get(way.join('/')),
      isHandled: (way, signature) => this.#known.get(way.join('/')) === signature,
      look: repositories,
      put: (written, stat, way, isLeft) => {
        if (isLeft) this.#known.set(way.join('/'), signatureOf(stat));
        else this.#putDecided(written, stat, way);
      },
      setAside: (way) => {
        this.#known.set(way.join('/'), presentSignature(path.join(writtenFolder(layer), ...way)));
        this.#showReal(way);
      },
      keepCopy: (way) => kept.keepCopy(path.join(writtenFolder(layer), ...way), way.join('/')),
      tell: (withheld) => this.#tellConflict(withheld),
    });
  }

  /** `pid`: a process in whose mount namespace the layer is mounted. */
  start(pid: number): void {
    this.#inside = `/proc/${pid}/root${seenFolder(this.#layer)}`;
    this.#stopWatching = watchTree(this.#layer.root, (way) => this.#bringIn(way));
    this.#schedule(SANDBOX_LIMITS.liveMs);
  }

  /** What the command wrote up to now is in the real folder afterwards. */
  async sweep(isPatient = false): Promise<void> {
    // Links have to be known before something is judged.
    this.#sweeping ??= this.#beginning.listed().then(async () => {
      try {
        await this.#repositories.look(this.#pace(isPatient));
        // Last, since whoever may not any more was frozen at any moment before.
        if ((await this.#mayWrite?.()) === false) await this.#leaveOut();
        else this.#bringOut(isPatient);
      } finally {
        this.#sweeping = undefined;
      }
    });
    await this.#sweeping;
  }

  /** What was held since the last time; each is handed out once. */
  takeHeld(): Held[] {
    const all = [...this.#held.values()].flat();
    for (const [key, held] of this.#held) this.#answered.set(key, digestOf(held));
    this.#held.clear();
    return all;
  }

  get holdsSomething(): boolean {
    return this.#held.size > 0;
  }

  /** After the command has ended. */
  async stop(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#stopWatching?.();
    const odd = takeAllOdd(this.#layer);
    await this.sweep();
    for (const each of await keepOdd(odd, this.#kept)) this.#tellConflict(each);
    for (const way of this.#repositories.heldObjects()) {
      const kept_at = await this.#kept.keep(path.join(writtenFolder(this.#layer), ...way), way.join('/'));
      const reason = 'nothing of its repository counts';
      if (kept_at !== undefined) this.#tellConflict({ path: way.join('/'), cause: 'runs_later', reason, kept_at });
    }
  }

  /** Nothing of it is put in place; at its end that is said, and the person finds it: the database may only be away. */
  async #leaveOut(): Promise<void> {
    if (!this.#isOver) return;
    const reason = 'the conversation cannot be saved, or another halter goes on with it';
    const kept_at = await keepLeft(this.#layer, this.#kept, (key, signature) => this.#known.get(key) === signature);
    const kept = kept_at === undefined ? {} : { kept_at };
    this.#onWithheld({ path: this.#layer.root, cause: 'not_written', reason, ...kept });
  }

  #schedule(milliseconds: number): void {
    this.#timer = setTimeout(async () => {
      const begin = performance.now();
      await this.sweep(true);
      const took = performance.now() - begin;
      if (!this.#isOver) this.#schedule(Math.max(SANDBOX_LIMITS.liveMs, took * SANDBOX_LIMITS.liveShare));
    }, milliseconds);
    this.#timer.unref();
  }

  #bringOut(isPatient: boolean): void {
    const written = openBelow(writtenFolder(this.#layer), []);
    if (written !== undefined) this.#outFolder(written, [], isPatient);
    const late = [...this.#late.values()];
    this.#late.clear();
    for (const way of late) this.#bringIn(way);
  }

  #outFolder(written: AnchoredFolder, way: readonly string[], isPatient: boolean): void {
    try {
      const { entries, odd } = readEntries(written.self);
      const names = entries.map(({ name }) => name);
      for (const { shown } of odd) this.#tellOdd([...way, shown].join('/'));
      if (way.length === 0 && isLiveRepository(this.#layer, way)) {
        this.#settleRepository(way, isPatient);
        return;
      }
      const repositories = names.filter((name) => isLiveRepository(this.#layer, [...way, name]));
      const atWork = repositories.filter((name) => !this.#settleRepository([...way, name], isPatient));
      // While git is at work its files are those of no commit.
      if (atWork.some((name) => foldedName(name) === '.git')) return;
      const making = this.#makingRepository(names, way);
      for (const name of names) {
        if (making.includes(name)) this.#withhold([...way, name], 'it would make a repository');
        else if (!repositories.includes(name)) this.#outEntry(written, name, [...way, name], isPatient);
      }
    } catch {
      // It changes while it is looked at; the next look is soon.
    } finally {
      written.close();
    }
  }

  #pace(isPatient: boolean): Pace {
    return this.#isOver ? 'last' : isPatient ? 'patient' : 'now';
  }

  #settleRepository(way: readonly string[], isPatient: boolean): boolean {
    const isSettled = this.#repositories.settle(way, this.#pace(isPatient));
    const isFirst = isSettled && this.#known.get(way.join('/')) !== 'folder' && !this.#repositories.isHeld(way);
    const written = isFirst ? openBelow(writtenFolder(this.#layer), way) : undefined;
    if (written !== undefined) this.#outFolders(written, way);
    return isSettled;
  }

  /** Empty ones are a part of a new repository. */
  #outFolders(written: AnchoredFolder, way: readonly string[]): void {
    try {
      if (this.#known.get(way.join('/')) !== 'folder' && way.length > 0 && !this.#makeFolder(way)) return;
      this.#known.set(way.join('/'), 'folder');
      for (const entry of readEntries(written.self).entries) {
        const below = entry.isDirectory() ? written.child(entry.name) : undefined;
        if (below !== undefined) this.#outFolders(below, [...way, entry.name]);
      }
    } catch {
      // It changes while it is looked at; the next look is soon.
    } finally {
      written.close();
    }
  }

  #outEntry(written: AnchoredFolder, name: string, way: readonly string[], isPatient: boolean): void {
    const key = way.join('/');
    try {
      const stat = fs.lstatSync(written.at(name), { bigint: true });
      if (stat.isDirectory()) {
        const folder = written.child(name);
        if (folder === undefined) return;
        if (this.#known.get(key) !== 'folder' && !this.#makeFolder(way)) folder.close();
        else {
          this.#known.set(key, 'folder');
          this.#outFolder(folder, way, isPatient);
        }
        return;
      }
      const now = signatureOf(stat);
      if (this.#known.get(key) === now) return;
      this.#known.set(key, now);
      this.#outFile(written.at(name), stat, way);
    } catch {
      this.#known.delete(key);
    }
  }

  /** The content is copied before it is judged, so that what was judged is what is put in place. */
  #outFile(written: string, stat: fs.BigIntStats, way: readonly string[], isDecided = false): void {
    const parent = openBelow(this.#layer.root, way.slice(0, -1));
    if (parent === undefined) return;
    const real = parent.at(way.at(-1) ?? '');
    this.#aside += 1;
    const copy = path.join(asideFolder(this.#layer), `live-${this.#aside}`);
    try {
      const isGone = stat.isCharacterDevice() && stat.rdev === 0n;
      const kind = isGone ? 'removed' : stat.isFile() ? 'file' : stat.isSymbolicLink() ? 'link' : 'other';
      if (kind === 'other') return;
      if (kind === 'file') copyContent(written, copy, Number(stat.mode));
      if (kind === 'link') copyLink(written, copy);
      const before = statOf(real);
      const key = way.join('/');
      const isAgreed = kind === 'removed' ? before === undefined : isSame(copy, real);
      if (!isDecided && !isAgreed && this.#isChangedOutside(real, way)) {
        this.#stays(kind === 'removed' ? undefined : copy, key);
        return;
      }
      if (isAgreed) {
        this.#agree(real, key);
        return;
      }
      const change = changeOf(kind, copy, real);
      if (kind === 'link') this.#judge.noteLink?.(way, 'command');
      const reason = this.#judge.fault(way, change);
      if (reason !== undefined) this.#hold(way, reason, change);
      else if (kind === 'removed' || before?.isDirectory()) putAside(real, `${copy}-away`);
      if (reason === undefined && kind !== 'removed') place(copy, real);
      if (reason === undefined) this.#agree(real, key);
    } finally {
      parent.close();
      fs.rmSync(copy, { force: true });
    }
  }

  #agree(real: string, key: string): void {
    this.#agreed.set(key, presentSignature(real));
  }

  /** Of a repository: whether it counts was decided for all of it. */
  #putDecided(written: AnchoredFolder, stat: fs.BigIntStats, way: readonly string[]): void {
    const key = way.join('/');
    this.#known.set(key, signatureOf(stat));
    try {
      for (let length = 1; length < way.length; length += 1) if (!this.#makeFolder(way.slice(0, length))) return;
      this.#outFile(written.at(way.at(-1) ?? ''), stat, way, true);
    } catch {
      this.#known.delete(key);
    }
  }

  #isChangedOutside(real: string, way: readonly string[]): boolean {
    const agreed = this.#agreed.get(way.join('/'));
    if (agreed !== undefined) return presentSignature(real) !== agreed;
    const stat = fullStatAt(real);
    if (stat === undefined) return this.#beginning.had(way) === true;
    if (!stat.isDirectory()) return this.#beginning.isChanged(stat);
    return isChangedBelow(real, way, (file, below) => this.#isChangedOutside(file, below));
  }

  /** What somebody else wrote; the command's version is put by, and each one is told. */
  #stays(copy: string | undefined, key: string): void {
    const kept_at = copy === undefined ? undefined : this.#kept.keepCopy(copy, key);
    const reason = 'it was changed outside since the command saw it';
    const kept = kept_at === undefined ? {} : { kept_at };
    this.#tellConflict({ path: key, cause: 'changed_outside', reason, ...kept });
  }

  #tellConflict(withheld: WithheldChange): void {
    if (this.#conflicts >= SANDBOX_LIMITS.liveTold) return;
    this.#conflicts += 1;
    this.#onWithheld(withheld);
  }

  /** Put by when the command has ended. */
  #tellOdd(shown: string): void {
    if (this.#told.has(shown) || this.#told.size >= SANDBOX_LIMITS.liveTold) return;
    this.#told.add(shown);
    this.#onWithheld({ path: shown, cause: 'not_written', reason: ODD_NAME });
  }

  #makeFolder(way: readonly string[]): boolean {
    const parent = openBelow(this.#layer.root, way.slice(0, -1));
    if (parent === undefined) return false;
    const real = parent.at(way.at(-1) ?? '');
    try {
      const there = statOf(real);
      if (there?.isDirectory()) return true;
      const change = changeOf('folder', real, real);
      const reason = this.#judge.fault(way, change);
      if (reason !== undefined) {
        this.#hold(way, reason, change);
        return false;
      }
      if (there !== undefined && !this.#makeRoom(real, way)) return false;
      fs.mkdirSync(real);
      return true;
    } catch {
      return false;
    } finally {
      parent.close();
    }
  }

  /** A file or a link that lies where the command has a folder now. */
  #makeRoom(real: string, way: readonly string[]): boolean {
    const key = way.join('/');
    if (this.#isChangedOutside(real, way)) {
      if (!this.#told.has(key)) this.#stays(undefined, key);
      this.#told.add(key);
      return false;
    }
    this.#aside += 1;
    putAside(real, path.join(asideFolder(this.#layer), `live-${this.#aside}-away`));
    this.#agreed.delete(key);
    return true;
  }

  /** A folder with HEAD, objects and refs is a repository for git; one that comes to be in the background is not kept. */
  #makingRepository(written: readonly string[], way: readonly string[]): string[] {
    if (way.includes('.git')) return [];
    const real = openBelow(this.#layer.root, way);
    const before = new Set(real === undefined ? [] : readNames(real.self));
    real?.close();
    return namesThatMakeRepository(before, new Set([...before, ...written]));
  }

  /** Kept for a question where it may be one. */
  #hold(way: readonly string[], reason: string, change: Change): void {
    this.#withhold(way, reason);
    const key = way.join('/');
    const isAskedAbout = this.#judge.isAskedAbout?.(way, change) ?? true;
    const held =
      isAskedAbout && this.#held.size < SANDBOX_LIMITS.heldFiles ? heldAt(this.#layer, way, reason) : undefined;
    if (held === undefined) this.#held.delete(key);
    else if (this.#answered.get(key) !== digestOf(held)) this.#held.set(key, held);
  }

  #withhold(way: readonly string[], reason: string): void {
    const key = way.join('/');
    if (this.#told.has(key) || this.#told.size >= SANDBOX_LIMITS.liveTold) return;
    this.#told.add(key);
    this.#onWithheld({ path: key, cause: 'runs_later', reason });
  }

  #show(real: AnchoredFolder, seen: AnchoredFolder, way: readonly string[]): void {
    const isWritten = (file: readonly string[]): boolean =>
      statOf(path.join(writtenFolder(this.#layer), ...file)) !== undefined;
    const onBrought = (file: readonly string[]): void => this.#noteBrought(file);
    bringEntry(real, seen, way, { left: SANDBOX_LIMITS.liveEntries, isWritten, onBrought });
  }

  /** Both sides hold the same now, unless the command was faster; the next look tells. */
  #noteBrought(way: readonly string[]): void {
    const key = way.join('/');
    const written = path.join(writtenFolder(this.#layer), ...way);
    const real = path.join(this.#layer.root, ...way);
    const [stat, now] = [fullStatAt(written), presentSignature(real)];
    if (stat === undefined || !isSame(written, real)) return;
    this.#known.set(key, signatureOf(stat));
    this.#agreed.set(key, now);
    this.#repositories.noteIndex(way);
  }

  /** What the command wrote there and nobody has looked at yet. False where git is at work in it. */
  #bringOutFirst(way: readonly string[]): boolean {
    const isRepository = isLiveRepository(this.#layer, []);
    if (isRepository) return this.#settleRepository([], false);
    for (let length = 0; length < way.length; length += 1) {
      const repository = [...way.slice(0, length), '.git'];
      if (isLiveRepository(this.#layer, repository) && !this.#settleRepository(repository, false)) return false;
    }
    if (way.includes('.git')) return true;
    const written = openBelow(writtenFolder(this.#layer), way.slice(0, -1));
    const name = way.at(-1) ?? '';
    try {
      if (written !== undefined && statOf(written.at(name)) !== undefined) this.#outEntry(written, name, way, false);
    } finally {
      written?.close();
    }
    return true;
  }

  /** Something changed in the real folder: the command is shown it. */
  #bringIn(way: readonly string[]): void {
    if (statOf(path.join(this.#layer.root, ...way))?.isSymbolicLink()) this.#judge.noteLink?.(way, 'somebody');
    if (this.#bringOutFirst(way)) this.#showReal(way);
    else this.#late.set(way.join('/'), way);
  }

  #showReal(way: readonly string[]): void {
    const real = openBelow(this.#layer.root, way.slice(0, -1));
    const seen = openBelow(this.#inside, way.slice(0, -1));
    try {
      if (real !== undefined && seen !== undefined) this.#show(real, seen, way);
    } catch {
      // It is gone again, or the command keeps something else there.
    } finally {
      real?.close();
      seen?.close();
      this.#noteGone(way);
    }
  }

  /** What was taken away for the command is no removal of its own. */
  #noteGone(way: readonly string[]): void {
    const written = path.join(writtenFolder(this.#layer), ...way);
    const stat = fullStatAt(written);
    const isGone = stat?.isCharacterDevice() === true && stat.rdev === 0n;
    if (stat !== undefined && isGone && statOf(path.join(this.#layer.root, ...way)) === undefined)
      this.#known.set(way.join('/'), signatureOf(stat));
  }
}

const digestOf = (held: readonly Held[]): string =>
  JSON.stringify(held.map(({ way, kind, before, after }) => [way, kind, before, after]));

const copyContent = (from: string, to: string, mode: number): void => {
  fs.writeFileSync(to, readWhole(from), { mode: mode & 0o777 });
  fs.chmodSync(to, mode & 0o777);
};

const changeOf = (kind: Change['kind'], copy: string, real: string): Change => {
  const before = statOf(real);
  const text = (file: string, stat: fs.Stats | undefined): string | undefined =>
    stat?.isSymbolicLink() ? fs.readlinkSync(file) : readSmallFile(file, SANDBOX_LIMITS.configBytes);
  return {
    kind,
    wasThere: before !== undefined,
    text: () => (kind === 'removed' ? undefined : text(copy, statOf(copy))),
    before: () => (before === undefined ? undefined : text(real, before)),
    isOtherMode: () => statOf(copy)?.mode !== before?.mode,
  };
};
