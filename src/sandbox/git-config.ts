/**
 * Reads git's configuration as strictly as it can be read: a file is harmless only if every line of it is of a plain form
 * and sets a key that is known to run, load and redirect nothing. Whatever else git would accept counts as harmful.
 */

type Entry = { section: string; key: string; value: string };

const BLANK_OR_COMMENT = /^\s*(?:[#;][^\\]*)?$/;
const SECTION = /^\s*\[([A-Za-z][A-Za-z0-9-]*)(?: "([^"\\\n]*)")?\]\s*$/;
const VALUE = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*=\s*([^"\\#;\n]*|"[^"\\\n]*")\s*$/;

/** Undefined where a line is of another form than the plain ones. */
export const readPlainConfig = (text: string): Entry[] | undefined => {
  const entries: Entry[] = [];
  let section: string | undefined;
  for (const line of text.split('\n')) {
    if (BLANK_OR_COMMENT.test(line)) continue;
    const head = SECTION.exec(line);
    const pair = VALUE.exec(line);
    if (head) {
      section = (head[1] ?? '').toLowerCase() + (head[2] === undefined ? '' : `.${head[2]}`);
    } else if (pair && section !== undefined) {
      entries.push({ section, key: (pair[1] ?? '').toLowerCase(), value: (pair[2] ?? '').trim().replaceAll('"', '') });
    } else return undefined;
  }
  return entries;
};

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Keys by the first word of their section; `*` stands for sections of any name. */
const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  core: words(`repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol safecrlf
    quotepath abbrev trustctime checkstat untrackedcache splitindex preloadindex compression bigfilethreshold sparsecheckout
    sparsecheckoutcone sharedrepository whitespace worktree protecthfs protectntfs longpaths fscache commitgraph multipackindex`),
  user: words('name email'),
  author: words('name email'),
  committer: words('name email'),
  remote: words('url fetch tagopt prune prunetags promisor partialclonefilter skipfetchall mirror'),
  branch: words('remote merge rebase pushremote description autosetuprebase autosetupmerge'),
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
  index: words('version threads skiphash'),
  feature: words('manyfiles experimental'),
  advice: ['*'],
  lfs: words('repositoryformatversion'),
};

/** An address that git reaches with its own protocols and that is no option and no helper program. */
const isPlainAddress = (value: string): boolean => value !== '' && !value.startsWith('-') && !value.includes('::');
const isAddressKey = (key: string): boolean => key === 'url' || key === 'remote' || key === 'pushremote';

/**
 * Why a configuration may not come to be. `before` is what stands there now: addresses that a remote has already are not
 * changed, since the next push would go elsewhere. `isOwnWorktree` says whether a value of core.worktree stays inside.
 */
export const configFault = (
  text: string,
  before: string | undefined,
  isOwnWorktree: (value: string) => boolean,
): string | undefined => {
  if (text === before) return undefined;
  const entries = readPlainConfig(text);
  if (entries === undefined) return 'it holds a line that is not of the plain form';
  const there = before === undefined ? [] : (readPlainConfig(before) ?? []);
  const pairs = new Set(there.map((entry) => `${nameOf(entry)}=${entry.value}`));
  const names = new Set(there.map(nameOf));
  for (const entry of entries) {
    const name = nameOf(entry);
    if (pairs.has(`${name}=${entry.value}`)) continue;
    const allowed = HARMLESS[entry.section.split('.')[0] ?? ''] ?? [];
    if (!allowed.includes(entry.key) && !allowed.includes('*')) return `it sets ${name}`;
    if (isAddressKey(entry.key) && !isPlainAddress(entry.value)) return `it sets ${name} to no plain address`;
    if (entry.key === 'url' && names.has(name)) return `it changes ${name}`;
    if (name === 'core.worktree' && !isOwnWorktree(entry.value)) return `it sets ${name}`;
  }
  return undefined;
};

const nameOf = ({ section, key }: Entry): string => `${section}.${key}`;

/** Keys whose value is a folder or a file, and no program that is looked up. */
const NAMES_FOLDER = /^(?:hookspath|templatedir|path|[a-z]*file|worktree)$/i;

/**
 * What an existing configuration names: words of values that may be programs, hooks or further configuration. Where a key
 * names a place and no program, its words end with a slash.
 */
export const namedInConfig = (text: string): string[] => {
  const names: string[] = [];
  let section = '';
  for (const line of text.split('\n')) {
    section = /^\s*\[([A-Za-z0-9-]+)/.exec(line)?.[1]?.toLowerCase() ?? section;
    const pair = /^(?:\s*\[[^\]]*\])?\s*([A-Za-z][A-Za-z0-9-]*)\s*=(.*)$/.exec(line);
    if (!pair || HARMLESS[section]?.includes((pair[1] ?? '').toLowerCase())) continue;
    const words = (pair[2] ?? '').split(/[\s"'=;|&()<>!]+/).filter((word) => word !== '');
    names.push(...(NAMES_FOLDER.test(pair[1] ?? '') ? words.map((word) => `${word}/`) : words));
  }
  return names;
};
