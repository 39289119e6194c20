/**
 * After a command has ended: what it wrote into its layer is judged and put into the real folder. Everything is judged
 * before the first change is made. What is not kept stays behind in the layer and goes with it.
 */
import { chmodSync, chownSync, constants, copyFileSync, lstatSync, mkdirSync, utimesSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { foldedName } from '../core/policy/sensitive-files.ts';
import type { NoteChanges, WithheldChange } from '../core/ports.ts';
import { AnchoredFolder } from './anchored.ts';
import type { Beginning } from './beginning.ts';
import { changedFiles } from './changed-files.ts';
import { type Changed, changeAt, collectChanges, sameTimes } from './changes.ts';
import { namesIn } from './folder-entries.ts';
import type { Change } from './git-folder.ts';
import { looksLikeRepository, namesThatMakeRepository } from './git-folder.ts';
import { type Held, heldAt } from './held.ts';
import {
  findHeldRepositories,
  type HeldRepository,
  type RepositoryOptions,
  removeRepository,
} from './held-repositories.ts';
import type { Judge } from './judge.ts';
import { asideFolder, type Layer, type LayerPrograms, openToUs, writtenFolder } from './layer.ts';
import { SANDBOX_LIMITS } from './limits.ts';
import { keepOdd } from './odd-entries.ts';
import { OutsideChanges, type OutsideOptions } from './outside-changes.ts';
import { statAt as statOf } from './place.ts';

/** `held`: those that a person may be asked about. Paths are relative to the root of the layer. */
export type Settled = {
  withheld: (WithheldChange & { held?: readonly Held[] })[];
  /** Work trees elsewhere, by their whole paths, whose repository was kept apart: their files are to be, too. */
  apart?: readonly string[];
};
export type SettleOptions = OutsideOptions & {
  programs: LayerPrograms;
  openJudge(): Promise<Judge>;
  repositories: RepositoryOptions;
  /** Asks a person, in the order of what is held; absent where nobody is there. */
  ask?: ((held: readonly Held[]) => Promise<readonly boolean[]>) | undefined;
  note?: NoteChanges;
};

/** Layers of this process that are put into their folders, one after another: each sees what the one before changed. */
let settling: Promise<unknown> = Promise.resolve();

const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
  const done = settling.then(act);
  settling = done.catch(() => undefined);
  return done;
};

/** Nobody else waits while a person thinks about it. */
export const settleLayer = async (options: SettleOptions): Promise<Settled> => {
  const first = await inTurn(async () => {
    const judged = await judgeLayer(options);
    const isAsked = options.ask !== undefined && judged.held.some(({ finding }) => finding.held !== undefined);
    return isAsked ? judged : await applyLayer(options, judged, judged.held);
  });
  if (!('tree' in first)) return first;
  const refused = await refusedOf(first, options.ask);
  return await inTurn(() => applyLayer(options, first, refused));
};

/** `tree`: without what is not kept; `held`: repositories in it that are kept with a yes alone. */
type Judged = { tree: Changed; withheld: Settled['withheld']; held: readonly HeldRepository[] };

const judgeLayer = async ({
  programs,
  openJudge,
  repositories,
  layer,
  beginning,
  kept,
}: SettleOptions): Promise<Judged> => {
  openToUs(layer);
  const { changes, odd } = await collectChanges(programs, layer);
  const unnamed = await keepOdd(odd, kept);
  if (changes.children.length === 0) return { tree: changes, withheld: unnamed, held: [] };
  await beginning.listed();
  const judge = await openJudge();
  noteLinks(judge, changes, []);
  const judging = new Judging(layer, judge);
  judging.folder(changes, []);
  const held = await findHeldRepositories(layer, changes, repositories);
  return { tree: changes, withheld: [...unnamed, ...judging.withheld], held };
};

/** What is asked about is asked at once, with the files that the command wrote itself. */
const refusedOf = async ({ withheld, held }: Judged, ask: SettleOptions['ask']): Promise<readonly HeldRepository[]> => {
  const files = withheld.flatMap((each) => each.held ?? []);
  const asked = [...files, ...held.flatMap(({ finding }) => finding.held ?? [])];
  const answers = (await ask?.(asked)) ?? [];
  let at = files.length;
  return held.filter(({ finding }) => {
    const own = answers.slice(at, at + (finding.held?.length ?? 0));
    at += finding.held?.length ?? 0;
    return finding.held === undefined || own.length < finding.held.length || own.some((answer) => !answer);
  });
};

const applyLayer = async (
  { note, layer, ...options }: SettleOptions,
  { tree, withheld }: Judged,
  refused: readonly HeldRepository[],
): Promise<Settled> => {
  if (tree.children.length === 0) return { withheld };
  const outside = new OutsideChanges({ ...options, layer });
  for (const { way, child, finding } of refused) {
    await outside.hold(child, way, finding.reason);
    removeRepository(tree, way);
  }
  await outside.prune(tree, []);
  if ((await note?.(...changedFiles(layer, tree))) === false) return { withheld: [...withheld, ...notOurs(tree)] };
  await new Applying({ ...options, layer }, outside).merge(tree, new AnchoredFolder(layer.root), []);
  return { withheld: [...withheld, ...outside.withheld], apart: outside.apart };
};

/** Nothing of it counts: what was said of the run could not be kept, so another process may go on with it. */
const notOurs = ({ children }: Changed): WithheldChange[] =>
  children.map(({ name }) => ({ path: name, cause: 'not_written', reason: NOT_KEPT }));

const NOT_KEPT = 'the conversation could not be saved then, so that nothing of it was applied';

/** Through links of the command other changes of it may have another name. */
const noteLinks = (judge: Judge, folder: Changed, way: readonly string[]): void => {
  for (const child of folder.children) {
    if (child.kind === 'link') judge.noteLink?.([...way, child.name], 'command');
    else noteLinks(judge, child, [...way, child.name]);
  }
};

/** Takes what may not be kept out of the tree. */
class Judging {
  readonly withheld: Settled['withheld'] = [];
  readonly #layer: Layer;
  readonly #judge: Judge;

  constructor(layer: Layer, judge: Judge) {
    this.#layer = layer;
    this.#judge = judge;
  }

  folder(folder: Changed, way: readonly string[]): void {
    const before = this.withheld.length;
    this.#asRepository(folder, way);
    folder.children = folder.children.filter((child) => this.#isKept(child, [...way, child.name]));
    folder.isWhole = this.withheld.length === before;
  }

  #isKept(child: Changed, way: readonly string[]): boolean {
    const change = this.#change(child, way);
    const reason = this.#judge.fault(way, change);
    if (reason === undefined || (child.kind === 'folder' && child.isMerged)) {
      if (child.kind === 'folder') this.folder(child, way);
      return true;
    }
    const isAskedAbout = this.#judge.isAskedAbout?.(way, change) ?? true;
    const held = isAskedAbout ? heldAt(this.#layer, way, reason) : undefined;
    this.#withhold(way, reason, held);
    return false;
  }

  #change(child: Changed, way: readonly string[]): Change {
    return changeAt(path.join(writtenFolder(this.#layer), ...way), path.join(this.#layer.root, ...way), child.kind);
  }

  #withhold(way: readonly string[], reason: string, held?: readonly Held[]): void {
    this.withheld.push({ path: way.join('/'), cause: 'runs_later', reason, ...(held === undefined ? {} : { held }) });
  }

  /**
   * A folder with HEAD, objects and refs is a repository for git, whatever it is called. Where the command makes it one,
   * settings that lay there before count too; without HEAD it is none.
   */
  #asRepository(folder: Changed, way: readonly string[]): void {
    if (way.includes('.git')) return;
    const before = new Set(folder.isMerged ? namesIn(path.join(this.#layer.root, ...way)) : []);
    if (!looksLikeRepository(namesAfter(before, folder.children))) return;
    const isKept = (child: Changed, inside: readonly string[]): boolean => {
      const here = [...way, ...inside];
      const reason = this.#judge.repositoryFault(way, inside, this.#change(child, here));
      if (reason !== undefined && child.kind !== 'folder') {
        this.#withhold(here, reason);
        return false;
      }
      child.children = child.children.filter((each) => isKept(each, [...inside, each.name]));
      return true;
    };
    folder.children = folder.children.filter((child) =>
      SETTINGS.has(child.name) ? isKept(child, [child.name]) : true,
    );
    const making = namesThatMakeRepository(before, namesAfter(before, folder.children));
    if (making.length === 0 || !this.#hasOwnSettings(before, way)) return;
    for (const name of making) this.#withhold([...way, name], 'it would make a repository of settings that lie there');
    folder.children = folder.children.filter(({ name }) => !making.includes(name));
  }

  /** Settings that lay there before, judged as if they were new. */
  #hasOwnSettings(before: ReadonlySet<string>, way: readonly string[]): boolean {
    return [...SETTINGS].some((name) => {
      if (!before.has(name)) return false;
      const real = path.join(this.#layer.root, ...way, name);
      const isFolder = statOf(real)?.isDirectory() === true;
      if (isFolder) return namesIn(real).some((hook) => !hook.endsWith('.sample'));
      const change = { ...changeAt(real, '/nonexistent', statOf(real)?.isFile() ? 'file' : 'link') };
      return this.#judge.repositoryFault(way, [name], change) !== undefined;
    });
  }
}

const namesAfter = (before: ReadonlySet<string>, changed: readonly Changed[]): Set<string> => {
  const names = new Set(before);
  for (const { name, kind } of changed) kind === 'removed' ? names.delete(name) : names.add(name);
  return names;
};

const SETTINGS = new Set(['config', 'config.worktree', 'hooks', 'commondir', 'modules']);

/** Puts a judged tree into the real folder. Each step is held to the folder that was opened, whatever its path leads to. */
class Applying {
  readonly #layer: Layer;
  readonly #beginning: Beginning;
  readonly #outside: OutsideChanges;
  #aside = 0;

  constructor({ layer, beginning }: OutsideOptions, outside: OutsideChanges) {
    this.#layer = layer;
    this.#beginning = beginning;
    this.#outside = outside;
  }

  async merge(changed: Changed, real: AnchoredFolder, way: readonly string[]): Promise<void> {
    try {
      // Objects of git come before what refers to them, and a repository before the files that are of its commit.
      const isFirst = ({ name }: Changed): boolean => name === 'objects' || foldedName(name) === '.git';
      const order = [...changed.children].sort((a, b) => Number(isFirst(b)) - Number(isFirst(a)));
      for (const child of order) await this.#tryPut(child, real, [...way, child.name]);
    } finally {
      real.close();
    }
  }

  /** What the system refuses keeps nothing else from its place. */
  async #tryPut(child: Changed, parent: AnchoredFolder, way: readonly string[]): Promise<void> {
    try {
      if (await this.#outside.isStill(child, way)) await this.#put(child, parent, way);
    } catch (error) {
      await this.#outside.refused(way, error);
    }
  }

  async #put(child: Changed, parent: AnchoredFolder, way: readonly string[]): Promise<void> {
    const target = parent.at(child.name);
    const written = path.join(writtenFolder(this.#layer), ...way);
    if (child.kind === 'folder') return this.#putFolder(child, parent, way);
    const before = statOf(target);
    if (child.kind === 'removed' || before?.isDirectory()) await this.#clear(target);
    if (child.kind !== 'removed')
      await this.#place(written, target, before?.isFile() === true && child.kind === 'file');
  }

  async #putFolder(child: Changed, parent: AnchoredFolder, way: readonly string[]): Promise<void> {
    const target = parent.at(child.name);
    const written = path.join(writtenFolder(this.#layer), ...way);
    const stat = lstatSync(written, { bigint: true });
    const there = child.isMerged ? parent.child(child.name) : undefined;
    if (there === undefined) {
      await this.#clear(target);
      mkdirSync(target, { mode: 0o700 });
    }
    const folder = there ?? new AnchoredFolder(target);
    // Folders that may not be written to, as some package managers make them, are filled before they are closed.
    const mode = Number(stat.mode) & 0o7777;
    if (there === undefined || this.#isOurs(folder, way)) {
      takeOwner(folder.self, stat);
      setMode(folder.self, mode | 0o700);
    }
    chmodSync(written, mode | 0o700);
    if (there !== undefined || !child.isWhole) {
      await this.merge(child, folder, way);
      const again = mode === (mode | 0o700) ? undefined : parent.child(child.name);
      if (again !== undefined && (there === undefined || this.#isOurs(again, way, mode | 0o700)))
        setMode(again.self, mode);
      again?.close();
      return;
    }
    // A new folder of which everything is kept: what lies in it is moved as it is.
    try {
      for (const { name } of child.children) await move(path.join(written, name), folder.at(name));
      utimesSync(folder.self, ...sameTimes(stat));
      chmodSync(folder.self, mode);
    } finally {
      folder.close();
    }
  }

  /** Nobody else gave the folder other rights while the command ran; `mode`: those that we gave it ourselves. */
  #isOurs(folder: AnchoredFolder, way: readonly string[], mode?: number): boolean {
    const before = this.#beginning.modeOf(way);
    const now = (statOf(folder.self)?.mode ?? 0) & 0o7777;
    return before === undefined || now === before || now === mode;
  }

  /** A file that was there keeps what the layer knows of it out of its attributes, so its content is copied first. */
  async #place(written: string, target: string, isReplaced: boolean): Promise<void> {
    let source = written;
    const stat = lstatSync(written, { bigint: true });
    if (isReplaced && stat.size < BigInt(SANDBOX_LIMITS.copiedBytes)) {
      source = this.#asidePath();
      copyFileSync(written, source, constants.COPYFILE_FICLONE);
      takeOwner(source, stat);
      chmodSync(source, Number(stat.mode) & 0o7777);
      utimesSync(source, ...sameTimes(stat));
    }
    await move(source, target);
  }

  #asidePath(): string {
    this.#aside += 1;
    return path.join(asideFolder(this.#layer), String(this.#aside));
  }

  /** Away from there at once; what it holds is removed together with the layer. */
  async #clear(target: string): Promise<void> {
    if (statOf(target) !== undefined) await move(target, this.#asidePath());
  }
}

const takeOwner = (target: string, stat: { uid: bigint; gid: bigint }): void => {
  if (process.getuid?.() === 0) chownSync(target, Number(stat.uid), Number(stat.gid));
};

/** Somebody else's folder, which we may write to, stays as it is. */
const setMode = (folder: string, mode: number): void => {
  if (((statOf(folder)?.mode ?? 0) & 0o7777) !== mode) chmodSync(folder, mode);
};

const move = async (from: string, to: string): Promise<void> => {
  try {
    await rename(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const stat = statOf(from);
    if (code === 'EACCES' && stat?.isDirectory()) {
      // A folder takes another parent only while it may be written to.
      chmodSync(from, stat.mode | 0o700);
      await rename(from, to);
      chmodSync(to, stat.mode & 0o7777);
    } else if (code === 'EXDEV') {
      await cp(from, to, { recursive: true, force: true, preserveTimestamps: true, verbatimSymlinks: true });
      await rm(from, { recursive: true, force: true });
    } else throw error;
  }
};
