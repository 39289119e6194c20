/**
 * Whether a command brought files into a repository that other programs obey: the person's next checkout would write them,
 * outside of the sandbox and unasked. They are judged by what a command would be that writes them into the folder.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import path from 'node:path';
import { isNeverWritten, isPartOfAutoloadedWay, isSecretPath } from '../core/policy/sensitive-files.ts';
import { readSmallFile } from './anchored.ts';
import { broughtByIndexes, broughtByObjects, namedByPatches } from './brought-entries.ts';
import type { Change } from './git-folder.ts';
import { looksLikeRepository } from './git-folder.ts';
import { type BroughtEntry, entryKey, isFileMode, isLinkMode, isProgramMode } from './git-trees.ts';
import { type Held, shownText } from './held.ts';
import type { Judge } from './judge.ts';
import { hasLongNames, headOf, isSameFolder, notInHistory, storeOf } from './known-history.ts';
import { asideFolder, type Layer } from './layer.ts';
import { SANDBOX_LIMITS } from './limits.ts';
import { newObjects, type RepositoryChange, RepositoryFault } from './new-objects.ts';
import { findGit, type ObjectReader, OwnGit } from './own-git.ts';
import { statAt } from './place.ts';

export type { RepositoryChange };

/**
 * Where the files of the repository's commits lie when they are checked out, and how they are judged there. `others`: folders
 * of further work trees and submodules, by their whole paths.
 */
export type WorkTree = { root: string; way: readonly string[]; judge: Judge; others?: readonly string[] };

export type LookOptions = {
  layer: Layer;
  workTree: WorkTree;
  /** Repositories of the folders that commands write to, as they were before. */
  others: readonly string[];
  /** It is a new one, and may be a clone of these; what somebody else's holds is new in the person's. */
  isCopy: boolean;
  isInRoots(target: string): boolean;
  /** The command reached a network, and what it fetched from there cannot be told from what it made. */
  isNetworked: boolean;
};

/** Why the change is not kept. `held`: what a person is asked about; absent where nobody is. */
export type Finding = { reason: string; held?: readonly Held[] };

const IS_LOOKED_AT = /(?:^|\/)objects\/|(?:^|\/)(?:index|next-index-\d+)$|(?:^|\/)rebase-apply\//;

export const lookAtRepository = async (
  change: RepositoryChange,
  options: LookOptions,
): Promise<Finding | undefined> => {
  if (!change.files.some(({ inside, kind }) => kind !== 'removed' && IS_LOOKED_AT.test(inside))) return undefined;
  const program = findGit();
  if (program === undefined) return { reason: 'git was not found, so what its commits hold is not known' };
  const folder = mkdtempSync(path.join(asideFolder(options.layer), 'git-'));
  const isSha256 = hasLongNames(change.written) || hasLongNames(change.real);
  const others = options.isCopy ? options.others.filter((each) => !isSameFolder(each, change.real)) : [];
  const repositories = [change.real, ...others];
  const stores = repositories.flatMap((each) => storeOf(each) ?? []).filter((each) => each.isSha256 === isSha256);
  const named = { isSha256, stores: stores.map(({ store }) => store).slice(0, SANDBOX_LIMITS.knownStores) };
  const view = new OwnGit(program, path.join(folder, 'view'), named);
  const known = new OwnGit(program, path.join(folder, 'known'), named);
  try {
    return await new Look(change, options, { view, known, repositories, isSha256 }).find();
  } catch (error) {
    if (error instanceof RepositoryFault) return { reason: error.message };
    return { reason: 'what its commits hold could not be read' };
  } finally {
    view.close();
    known.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

type Gits = { view: OwnGit; known: OwnGit; repositories: readonly string[]; isSha256: boolean };
type Suspect = BroughtEntry & { fault: string };

class Look {
  readonly #change: RepositoryChange;
  readonly #options: LookOptions;
  readonly #gits: Gits;
  #reader: ObjectReader | undefined;

  constructor(change: RepositoryChange, options: LookOptions, gits: Gits) {
    this.#change = change;
    this.#options = options;
    this.#gits = gits;
  }

  async find(): Promise<Finding | undefined> {
    this.#checkAlternates();
    const { view, known, isSha256, repositories } = this.#gits;
    const check = known.reader(true);
    const objects = await newObjects(this.#change, { view, known: check });
    this.#reader = objects.reader;
    const { isNetworked } = this.#options;
    const head = headOf(this.#change.real);
    const brought = [
      ...(await broughtByObjects(objects, { isSha256, isNetworked, head })),
      ...(await broughtByIndexes(this.#change, view)),
    ];
    const suspects: Suspect[] = [];
    for (const entry of unique(brought)) {
      const fault = await this.#faultOf(entry);
      if (fault !== undefined && !this.#isInFolder(entry)) suspects.push({ ...entry, fault });
    }
    suspects.push(...this.#linked(brought), ...this.#inRepositories(brought));
    const patched = namedByPatches(this.#change).find((file) => this.#judged(file, NOTHING) !== undefined);
    if (patched !== undefined) return { reason: `it holds a patch of ${patched} that is not applied yet` };
    if (suspects.length === 0) return undefined;
    const left = new Set(await notInHistory(suspects, repositories, { known, reader: check }));
    const bad = suspects.filter((each) => left.has(each));
    return bad.length === 0 ? undefined : await this.#finding(bad);
  }

  /** As if a command had written it into the folder. Its content is read where that decides. */
  async #faultOf(entry: BroughtEntry): Promise<string | undefined> {
    let isRead = false;
    const kind = isLinkMode(entry.mode) ? 'link' : 'file';
    const before = (): string | undefined => readSmallFile(this.#real(entry.path), SANDBOX_LIMITS.configBytes);
    const change = (text: () => string | undefined): Change => ({
      kind,
      text,
      before,
      wasThere: false,
      isOtherMode: () => true,
    });
    const noted = (): undefined => {
      isRead = true;
      return undefined;
    };
    const fault = this.#judged(entry.path, change(noted));
    if (!isRead) return fault;
    const text = (await this.#contentOf(entry, SANDBOX_LIMITS.configBytes))?.toString('utf8');
    return this.#judged(
      entry.path,
      change(() => text),
    );
  }

  #judged(file: string, change: Change): string | undefined {
    const { root, way, judge, others = [] } = this.#options.workTree;
    const folders = [path.join(root, ...way), ...others].map((folder) => path.relative(root, folder));
    for (const folder of folders) {
      const inside = folder.split('/').filter((part) => part !== '' && part !== '..');
      const fault = judge.fault([...inside, ...file.split('/')], change);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  /** Files that a link of the same commits has read under another name. */
  #linked(brought: readonly BroughtEntry[]): Suspect[] {
    const links = brought.filter(
      ({ mode, path: file }) => isLinkMode(mode) && isPartOfAutoloadedWay(path.posix.basename(file)),
    );
    if (links.length === 0) return [];
    return links.flatMap((link) =>
      brought.flatMap((entry) => {
        const parts = entry.path.split('/');
        const readings = parts.map((_, index) => `${link.path}/${parts.slice(index).join('/')}`);
        const fault = readings.map((each) => this.#judged(each, NOTHING)).find((each) => each !== undefined);
        return fault === undefined || entry === link ? [] : [{ ...entry, fault }];
      }),
    );
  }

  /** Folders that git would take for repositories once they are checked out, with settings of their own. */
  #inRepositories(brought: readonly BroughtEntry[]): Suspect[] {
    const names = new Map<string, Set<string>>();
    for (const { path: file } of brought) {
      const parts = file.split('/');
      for (let length = 0; length < parts.length; length += 1) {
        const folder = parts.slice(0, length).join('/');
        names.set(folder, (names.get(folder) ?? new Set()).add(parts[length] ?? ''));
      }
    }
    const repositories = [...names].flatMap(([folder, all]) => (looksLikeRepository(all) ? [folder] : []));
    return repositories.flatMap((folder) =>
      brought
        .filter(({ path: file }) => file.startsWith(folder === '' ? '' : `${folder}/`))
        .flatMap((entry) => {
          const inside = entry.path.slice(folder === '' ? 0 : folder.length + 1).split('/');
          const way = [...this.#options.workTree.way, ...folder.split('/')].filter((part) => part !== '');
          if (!OF_REPOSITORY.has(inside[0] ?? '')) return [];
          const fault = this.#options.workTree.judge.repositoryFault(way, inside, NOTHING);
          return fault === undefined || this.#isInFolder(entry) ? [] : [{ ...entry, fault }];
        }),
    );
  }

  /** The person's folder holds that very file. */
  #isInFolder({ path: file, mode, oid }: BroughtEntry): boolean {
    const real = this.#real(file);
    const stat = statAt(real);
    if (stat === undefined) return false;
    if (stat.isSymbolicLink())
      return isLinkMode(mode) && blobName(readlinkSync(real, { encoding: 'buffer' }), oid) === oid;
    if (!stat.isFile() || !isFileMode(mode) || stat.size > SANDBOX_LIMITS.gitObjectBytes) return false;
    if (isProgramMode(mode) && (stat.mode & 0o111) === 0) return false;
    const content = readFileSync(real);
    const plain = Buffer.from(content.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
    return blobName(content, oid) === oid || blobName(plain, oid) === oid;
  }

  #real(file: string): string {
    const { root, way } = this.#options.workTree;
    return path.join(root, ...way, file);
  }

  async #contentOf({ oid }: BroughtEntry, bytes: number): Promise<Buffer | undefined> {
    const object = await this.#reader?.read(oid);
    return object?.type === 'blob' && object.content.length <= bytes ? object.content : undefined;
  }

  /** Objects from where commands could put any, unseen. */
  #checkAlternates(): void {
    for (const { inside, kind } of this.#change.files) {
      if (kind !== 'file' || !/(?:^|\/)objects\/info\/(?:http-)?alternates$/.test(inside)) continue;
      const objects = path.dirname(path.dirname(path.join(this.#change.real, inside)));
      const text = readSmallFile(path.join(this.#change.written, inside), SANDBOX_LIMITS.configBytes) ?? '"';
      for (const line of text.split('\n')) {
        if (line === '' || line.startsWith('#')) continue;
        const store = path.resolve(objects, line);
        const isKnown = /\/\.git\/(?:modules\/.*)?objects$/.test(store);
        const isRepository = this.#options.others.some((each) => path.join(each, 'objects') === store);
        if (line.startsWith('"') || (this.#options.isInRoots(store) && !isKnown && !isRepository))
          throw new RepositoryFault('it takes objects from a folder that is no repository');
      }
    }
  }

  async #finding(bad: readonly Suspect[]): Promise<Finding> {
    const names = [...new Set(bad.map(({ path: file }) => file))];
    const more = names.length - SANDBOX_LIMITS.broughtNamed;
    const named = names.slice(0, SANDBOX_LIMITS.broughtNamed).join(', ') + (more > 0 ? ` and ${more} more` : '');
    const reason = `a checkout of its commits or its index would write ${named}, and ${bad[0]?.fault}`;
    const held: Held[] = [];
    for (const each of bad) {
      const one = await this.#heldFor(each);
      if (one === undefined || held.length === SANDBOX_LIMITS.heldFiles) return { reason };
      held.push(one);
    }
    const shown = held.reduce((sum, { before = '', after = '' }) => sum + before.length + after.length, 0);
    return shown > SANDBOX_LIMITS.heldCharacters ? { reason } : { reason, held };
  }

  /** As for a file that a command wrote; undefined where nobody is asked about it. */
  async #heldFor(entry: Suspect): Promise<Held | undefined> {
    const { layer, workTree } = this.#options;
    const way = [...workTree.way, ...entry.path.split('/')];
    const real = this.#real(entry.path);
    const isLink = isLinkMode(entry.mode);
    if (workTree.judge.isAskedAbout?.(way, NOTHING) === false) return undefined;
    if (isNeverWritten(real) || !(isLink || isFileMode(entry.mode))) return undefined;
    const stat = statAt(real);
    const before = stat === undefined ? undefined : shownText(real, stat);
    if (stat !== undefined && (before === undefined || isSecretPath(entry.path))) return undefined;
    const content = await this.#contentOf(entry, SANDBOX_LIMITS.heldCharacters);
    const after = content?.toString('utf8');
    if (after === undefined || after.includes('\ufffd') || after.includes('\0')) return undefined;
    return {
      layer: workTree.root === layer.root ? layer : { ...layer, root: workTree.root },
      way,
      path: way.join('/'),
      kind: isLink ? 'link' : 'file',
      reason: entry.fault,
      after,
      ...(before === undefined ? {} : { before }),
      ...(isProgramMode(entry.mode) ? { executable: true } : {}),
    };
  }
}

const unique = (entries: readonly BroughtEntry[]): BroughtEntry[] => [
  ...new Map(entries.map((entry) => [entryKey(entry), entry])).values(),
];

/** What makes a folder a repository, and its settings. */
const OF_REPOSITORY = new Set(['HEAD', 'config', 'config.worktree', 'hooks', 'commondir', 'modules']);

/** A file of which nothing is known. */
const NOTHING: Change = {
  kind: 'file',
  text: () => undefined,
  before: () => undefined,
  wasThere: false,
  isOtherMode: () => true,
};

/** The name of a file's content, of the kind that `like` is. */
const blobName = (content: Buffer, like: string): string =>
  createHash(like.length === 64 ? 'sha256' : 'sha1')
    .update(`blob ${content.length}\0`)
    .update(content)
    .digest('hex');
