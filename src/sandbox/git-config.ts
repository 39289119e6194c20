/**
 * What a configuration of git may become. A file is harmless only if every line of it is of a plain form and sets a key that
 * is known to run, load and redirect nothing. Whatever else git would accept counts as harmful.
 */

import { redirectFault } from './git-remotes.ts';
import { type Entry, nameOf, readPlainConfig, valuesOf } from './plain-config.ts';

/** What is known of the place of a configuration, beside its content. */
export type ConfigPlace = {
  /** Whether a value of core.worktree stays inside. */
  isOwnWorktree(value: string): boolean;
  /** Remotes that the person has, beside those of commands; empty where all are a command's. */
  knownRemotes: ReadonlySet<string>;
  /** `worktree`: it is added to that of the repository. */
  kind: 'repository' | 'worktree' | 'modules';
};

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Keys by the first word of their section; `*` stands for sections of any name. */
const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  core: words(`repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol safecrlf
    quotepath abbrev trustctime checkstat untrackedcache splitindex preloadindex compression bigfilethreshold sparsecheckout
    sparsecheckoutcone sharedrepository whitespace worktree longpaths fscache commitgraph multipackindex`),
  user: words('name email'),
  author: words('name email'),
  committer: words('name email'),
  remote: words('url fetch tagopt prune prunetags promisor partialclonefilter skipfetchall mirror'),
  branch: words('remote merge rebase pushremote description autosetuprebase autosetupmerge vscode-merge-base'),
  submodule: words('url active path branch shallow ignore fetchrecursesubmodules recurse propagatebranches'),
  extensions: words('objectformat refstorage partialclone worktreeconfig noop relativeworktrees'),
  init: words('defaultbranch'),
  pull: words('rebase ff'),
  push: words('default followtags autosetupremote'),
  fetch: words('prune prunetags'),
  merge: words('ff conflictstyle renames'),
  rebase: words('autostash autosquash updaterefs'),
  commit: words('verbose status'),
  status: words('short branch showuntrackedfiles'),
  gc: words('auto autodetach'),
  maintenance: words('auto strategy'),
  color: words('ui status diff branch'),
  rerere: words('enabled autoupdate'),
  index: words('version threads skiphash sparse'),
  feature: words('manyfiles experimental'),
  advice: ['*'],
  lfs: words('repositoryformatversion'),
};

/** What settings of a single work tree are for: `git sparse-checkout` and `git worktree` write them. */
const OF_A_WORKTREE = new Set(['core', 'index']);

/** An address that git reaches with its own protocols and that is no option and no helper program. */
const isPlainAddress = (value: string): boolean => value !== '' && !value.startsWith('-') && !value.includes('::');
const isAddressKey = (key: string): boolean => key === 'url' || key === 'remote' || key === 'pushremote';

/** Why a configuration may not come to be. `before` is what stands there now. */
export const configFault = (text: string, before: string | undefined, place: ConfigPlace): string | undefined => {
  if (text === before) return undefined;
  const entries = readPlainConfig(text);
  const there = before === undefined ? [] : readPlainConfig(before);
  if (entries === undefined || there === undefined) return 'it holds a line that is not of the plain form';
  const pairs = new Set(there.map((entry) => `${nameOf(entry)}=${entry.value}`));
  for (const entry of entries) {
    const name = nameOf(entry);
    if (pairs.has(`${name}=${entry.value}`)) continue;
    if (!isHarmless(entry)) return `it sets ${name}`;
    if (place.kind === 'worktree' && !OF_A_WORKTREE.has(entry.section)) return `it sets ${name} for this work tree`;
    if (isAddressKey(entry.key) && !isPlainAddress(entry.value)) return `it sets ${name} to no plain address`;
    if (name === 'core.worktree' && !place.isOwnWorktree(entry.value)) return `it sets ${name}`;
  }
  return before === undefined
    ? undefined
    : (lostFault(entries, there) ?? redirectFault(entries, there, place.knownRemotes));
};

const isHarmless = ({ section, key }: Entry): boolean => {
  const allowed = HARMLESS[section.split('.')[0] ?? ''] ?? [];
  return allowed.includes(key) || allowed.includes('*');
};

/** What goes with a branch, a remote or a submodule that is removed. */
const GOES_WITH_ITS_SECTION = /^(?:branch|remote|submodule)\./;

/** Of keys that are not known to be harmless, since what they keep from happening is not known either. */
const lostFault = (entries: readonly Entry[], there: readonly Entry[]): string | undefined => {
  const sections = new Set(entries.map(({ section }) => section));
  const isBound = (entry: Entry): boolean =>
    !isHarmless(entry) && !(GOES_WITH_ITS_SECTION.test(entry.section) && !sections.has(entry.section));
  const after = valuesOf(entries);
  for (const [name, values] of valuesOf(there.filter(isBound))) {
    const now = after.get(name) ?? [];
    if (now.length < values.length) return `it removes ${name}`;
    if (now.join('\n') !== values.join('\n')) return `it changes ${name}`;
  }
  return undefined;
};

/** Keys whose value is a folder or a file, and no program that is looked up. */
const NAMES_FOLDER = /^(?:hookspath|templatedir|path|[a-z]*file|worktree)$/i;

/**
 * What an existing configuration names: words of values that may be programs, hooks or further configuration, and the whole
 * value, since a path may hold spaces. Where a key names a place and no program, its words end with a slash.
 */
export const namedInConfig = (text: string): string[] => {
  const names: string[] = [];
  for (const { section, key, value } of looselyRead(text)) {
    if (HARMLESS[section]?.includes(key)) continue;
    const words = [...value.split(/[\s"'=;|&()<>!]+/), value.trim().replaceAll('"', '')].filter((word) => word !== '');
    names.push(...(NAMES_FOLDER.test(key) ? words.map((word) => `${word}/`) : words));
  }
  return names;
};

/** Further configurations that git reads with this one, as they are written there. */
export const includedBy = (text: string): string[] =>
  looselyRead(text).flatMap(({ section, key, value }) =>
    (section === 'include' || section === 'includeif') && key === 'path' ? [value.trim().replaceAll('"', '')] : [],
  );

/** Whatever its form; sections without what stands beside their name. */
const looselyRead = (text: string): Entry[] => {
  const entries: Entry[] = [];
  let section = '';
  for (const line of text.split('\n')) {
    section = /^\s*\[([A-Za-z0-9-]+)/.exec(line)?.[1]?.toLowerCase() ?? section;
    const pair = /^(?:\s*\[[^\]]*\])?\s*([A-Za-z][A-Za-z0-9-]*)\s*=(.*)$/.exec(line);
    if (pair) entries.push({ section, key: (pair[1] ?? '').toLowerCase(), value: pair[2] ?? '' });
  }
  return entries;
};
