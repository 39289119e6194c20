/**
 * Which changes inside a repository's own folder are ordinary work, and which decide what git runs later. What is not known
 * to be ordinary is not kept.
 */
import { configFault } from './git-config.ts';

/** Something that a command made, changed or took away. */
export type Change = {
  kind: 'file' | 'folder' | 'link' | 'other' | 'removed';
  /** What it is now, as text; undefined where it is no small file. */
  text(): string | undefined;
  /** What it was before; undefined where it was not there. */
  before(): string | undefined;
  /** Whether there was something of this name before. */
  wasThere: boolean;
  /** Whether it may be run, or written to, by others than before. */
  isOtherMode(): boolean;
};

export type GitPlace = {
  /** Whether a path stays inside what the command may write to; `from` are the words of the folder it starts from. */
  isOwn(from: readonly string[], target: string): boolean;
  /** Remotes that the person has in the settings at these words, before the change. */
  knownRemotes(settings: readonly string[], change: Change): ReadonlySet<string>;
  /** The change of these settings is kept. */
  noteRemotes(settings: readonly string[], change: Change): void;
};

/** Written by git at ordinary work; none of it names a program. */
const ORDINARY_FOLDERS = new Set([
  'objects',
  'refs',
  'logs',
  'lfs',
  'rr-cache',
  'sequencer',
  'reftable',
  'bisect',
  'worktree-metadata',
]);
const ORDINARY_FILES =
  /^(?:HEAD|[A-Z]+(?:_[A-Z]+)*_HEAD|[A-Z]+_MSG|[A-Z]+_EDITMSG|MERGE_MODE|MERGE_RR|BISECT_[A-Z_]+|AUTO_MERGE|index|sharedindex\.[0-9a-f]+|next-index-\d+|packed-refs|shallow|description|gc\.pid|gc\.log|maintenance\.lock|[A-Za-z_-]+\.lock|\.gitstatus\.\w+)$/;
const INFO_FILES = new Set(['exclude', 'refs', 'sparse-checkout', 'attributes', 'grafts', 'commit-graph', 'packs']);
/** A rebase goes on with what its list says, programs too. */
const RUNS_A_PROGRAM = /^[^\S\r\n]*(?:exec|x)\b/m;

/** Why a change below a repository's folder is not kept; `inside` are the words of its path from there. */
export const gitFault = (inside: readonly string[], change: Change, place: GitPlace): string | undefined => {
  const [first = '', ...rest] = inside;
  if (change.kind === 'link' && !isReferenceLink(inside, change)) return 'it is a link inside .git';
  if (change.kind === 'other') return 'it is no file and no folder';
  if (first === 'modules') return moduleFault(rest, change, place, ['modules']);
  if (first === 'worktrees')
    return rest.length < 2 ? undefined : worktreeFault(rest.slice(1), change, place, ['worktrees', rest[0] ?? '']);
  return ownFault(inside, change, place, []);
};

/** `from`: where this repository's folder lies, below the one that was asked about. */
const ownFault = (
  inside: readonly string[],
  change: Change,
  place: GitPlace,
  from: readonly string[],
): string | undefined => {
  const [first = '', ...rest] = inside;
  if (isSettings(inside)) return settingsFault(inside, change, place, from);
  if (change.kind === 'removed') return undefined;
  if (replacesObjects(inside, change)) return 'it puts an object in the place of another';
  if (ORDINARY_FOLDERS.has(first)) return undefined;
  if (first === 'rebase-merge' || first === 'rebase-apply') {
    return RUNS_A_PROGRAM.test(change.text() ?? '') ? 'it is a rebase that runs programs' : undefined;
  }
  if (first === 'info') return rest.length === 0 || INFO_FILES.has(rest[0] ?? '') ? undefined : UNKNOWN;
  return rest.length === 0 && (ORDINARY_FILES.test(first) || change.kind === 'folder') ? undefined : UNKNOWN;
};
/**
 * `git replace`: whoever reads the one object is given the other, in every command. Packed references are left as they are:
 * without them branches would be lost that stand in them alone.
 */
const replacesObjects = ([first, second]: readonly string[], change: Change): boolean =>
  first === 'refs' && second === 'replace' && change.kind !== 'folder';

const UNKNOWN = 'it is nothing that git writes at ordinary work';

/** `config`, hooks, and files that lead git to settings elsewhere. */
const isSettings = ([first = '']: readonly string[]): boolean =>
  first === 'config' || first === 'config.worktree' || first === 'hooks' || first === 'commondir' || first === 'gitdir';

const settingsFault = (
  inside: readonly string[],
  change: Change,
  place: GitPlace,
  from: readonly string[],
): string | undefined => {
  const [first = '', ...rest] = inside;
  if (first === 'hooks') return hookFault(rest, change);
  if (change.kind === 'removed') return change.wasThere ? 'it holds settings of git' : undefined;
  if (first !== 'config' && first !== 'config.worktree') return 'it leads git to settings elsewhere';
  const text = change.text();
  if (text === undefined) return 'it is no readable file';
  const settings = [...from, first];
  const fault = configFault(text, change.before(), {
    isOwnWorktree: (target) => place.isOwn(from, target),
    knownRemotes: place.knownRemotes(settings, change),
    kind: first === 'config' ? 'repository' : 'worktree',
  });
  if (fault === undefined) place.noteRemotes(settings, change);
  return fault;
};

const hookFault = ([name = '', ...rest]: readonly string[], change: Change): string | undefined => {
  if (name === '') return change.kind === 'removed' || change.kind === 'folder' ? undefined : 'git runs it';
  return rest.length === 0 && name.endsWith('.sample') && change.kind !== 'folder' ? undefined : 'git runs it';
};

/**
 * The repository of a submodule. Its name may hold anything, slashes too, so that where it ends cannot be told: every
 * ending of the path counts that could be meant.
 */
const moduleFault = (
  inside: readonly string[],
  change: Change,
  place: GitPlace,
  from: readonly string[],
): string | undefined => {
  for (let start = 0; start < inside.length; start += 1) {
    const ending = inside.slice(start);
    const fault = isSettings(ending)
      ? settingsFault(ending, change, place, [...from, ...inside.slice(0, start)])
      : undefined;
    if (fault !== undefined) return fault;
  }
  return undefined;
};

const worktreeFault = (
  inside: readonly string[],
  change: Change,
  place: GitPlace,
  from: readonly string[],
): string | undefined => {
  const [first = ''] = inside;
  if (first === 'commondir' && inside.length === 1 && change.kind === 'file') {
    return change.text()?.trim() === '../..' ? undefined : 'it leads git to settings elsewhere';
  }
  if ((first === 'gitdir' || first === 'locked') && inside.length === 1 && change.kind === 'file') return undefined;
  if ((first === 'commondir' || first === 'gitdir') && change.kind === 'removed') return undefined;
  if (first === 'modules') return moduleFault(inside.slice(1), change, place, [...from, 'modules']);
  return ownFault(inside, change, place, from);
};

/** Old repositories have HEAD as a link to a reference. */
const isReferenceLink = (inside: readonly string[], change: Change): boolean =>
  inside.length === 1 && inside[0] === 'HEAD' && /^refs\/[^.][^\n]*$/.test(change.text() ?? '');

/** A file in the place of a repository's folder, as submodules and worktrees have it. */
export const gitFileFault = (change: Change, isRepository: (target: string) => boolean): string | undefined => {
  const target = /^gitdir: ([^\n]+)\n?$/.exec(change.text() ?? '')?.[1];
  return target !== undefined && isRepository(target) ? undefined : 'it leads git to settings elsewhere';
};

/** A folder that git takes for a repository whatever its name is: a "bare" one, or what looks like it. */
export const looksLikeRepository = (names: ReadonlySet<string>): boolean =>
  names.has('HEAD') && (names.has('commondir') || (names.has('objects') && names.has('refs')));

/** Without one of these a folder is none. HEAD first: the others may hold what somebody works on. */
const MAKE_REPOSITORY = ['HEAD', 'commondir', 'refs', 'objects'];

/** What of the new names has to be left out, so that a folder that was no repository is none afterwards. */
export const namesThatMakeRepository = (before: ReadonlySet<string>, after: ReadonlySet<string>): string[] => {
  const left = new Set(after);
  const names: string[] = [];
  for (const name of MAKE_REPOSITORY) {
    if (looksLikeRepository(before) || !looksLikeRepository(left)) break;
    if (before.has(name) || !left.delete(name)) continue;
    names.push(name);
  }
  return names;
};

/** What git reads in the folder of a repository. Nothing else there is a part of it: a worktree may lie in a bare one. */
export const READ_BY_GIT: readonly string[] = [
  ...['HEAD', 'commondir', 'gitdir', 'config', 'config.worktree', 'hooks', 'info', 'objects', 'refs', 'reftable'],
  ...['packed-refs', 'shallow', 'index', 'logs', 'modules', 'worktrees', 'branches', 'remotes'],
  ...['rebase-merge', 'rebase-apply', 'sequencer', 'MERGE_HEAD', 'MERGE_MODE', 'CHERRY_PICK_HEAD', 'REVERT_HEAD'],
];
