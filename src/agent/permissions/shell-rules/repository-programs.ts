/**
 * Git runs what a repository's own settings name: a file watcher, filters, a pager, hooks. Here those settings are read
 * without asking git. Only keys that are known to be harmless are passed over; the rest counts as a program, so that a
 * key of tomorrow is asked about too. The person's own settings (~/.gitconfig) are theirs and are not read.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { AGENT_LIMITS } from '../../limits.ts';

const HARMLESS: readonly RegExp[] = [
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|quotepath|abbrev|compression|bigfilethreshold|sharedrepository|untrackedcache|preloadindex|commitgraph|multipackindex|sparsecheckout|sparsecheckoutcone|protecthfs|protectntfs|longpaths|hidedotfiles|trustctime|checkstat|whitespace|splitindex|commentchar|notesref|warnambiguousrefs|packedgitlimit|deltabasecachelimit|bigfilethreshold)$/,
  /^remote\..*\.(?:url|pushurl|fetch|push|prune|prunetags|tagopt|mirror|promisor|partialclonefilter|gh-resolved|skipdefaultupdate|skipfetchall)$/,
  /^branch\..*\.(?:remote|merge|rebase|pushremote|description|vscode-merge-base|gh-merge-base|github-pr-owner-number)$/,
  /^branch\.(?:autosetupmerge|autosetuprebase|sort)$/,
  /^user\.(?:name|email|signingkey|useconfigonly)$/,
  /^(?:author|committer)\.(?:name|email)$/,
  /^(?:color|column|advice|init|push|pull|fetch|status|index|pack|feature|rebase|merge|log|format|blame|tag|worktree|stash|submodule|grep|rerere|receive|transfer|commit|diff|clone|help)\.(?:default|rebase|ff|prune|autostash|autosquash|updaterefs|defaultbranch|showuntrackedfiles|short|branch|version|threads|manyfiles|autosetupremote|followtags|recursesubmodules|recurse|renames|algorithm|colormoved|mnemonicprefix|noprefix|context|interhunkcontext|ui|status|diff|verbose|conflictstyle|date|decorate|pretty|abbrevcommit|follow|showsignature|enabled|autoupdate|active|fsckobjects|gpgsign|sort|parallel|writecommitgraph|guessremote|submodulesummary|submodule|statgraphwidth|relative|pushnonfastforward|skippedcherrypicks|detachedhead)$/,
  /^submodule\..*\.(?:url|active|path|branch|ignore|shallow|fetchrecursesubmodules)$/,
  /^(?:lfs)\.(?:repositoryformatversion|locksverify|concurrenttransfers)$|^lfs\..*\.(?:access|locksverify)$/,
  /^extensions\.(?:objectformat|refstorage|worktreeconfig|partialclone|noop|preciousobjects)$/,
  /^gc\.(?:auto|autodetach|autopacklimit|pruneexpire|reflogexpire|reflogexpireunreachable|writecommitgraph)$|^maintenance\.(?:auto|strategy|autodetach)$/,
];
/** Commands of git that only read. They run no hooks but those about the index and references. */
const READING =
  /^(?:status|diff|log|show|grep|blame|annotate|ls-files|ls-tree|rev-parse|rev-list|cat-file|describe|shortlog|diff-tree|diff-index|diff-files|for-each-ref|show-ref|name-rev|merge-base|count-objects|check-ignore|check-attr|whatchanged|version|help|var|reflog|cherry|range-diff|show-branch|verify-commit)$/;
const READING_HOOKS = /^(?:post-index-change|reference-transaction|pre-auto-gc)$/;

export const programsOfRepository = (folder: string, command: string): string[] => {
  return findRepositories(folder).flatMap((repository) => {
    const { reasons, hooks } = settingsOf(repository);
    const running = hooks.filter((name) => !READING.test(command) || READING_HOOKS.test(name));
    return [...reasons, ...running.map((name) => `the hook ${name}`)];
  });
};

type Settings = { reasons: string[]; hooks: string[] };
const known = new Map<string, { watched: string[]; state: string; settings: Settings }>();
const KNOWN_MAX = 64;

/** Read anew whenever one of the files has changed in any way: the time of change of a file cannot be set back. */
const settingsOf = (repository: Repository): Settings => {
  const kept = known.get(repository.git);
  if (kept !== undefined && kept.state === stamp(kept.watched)) return kept.settings;
  const folder = stamp([repository.git, repository.common]);
  const files = [
    path.join(repository.common, 'config'),
    path.join(repository.common, 'config.worktree'),
    ...(repository.git === repository.common ? [] : [path.join(repository.git, 'config.worktree')]),
  ];
  const index = path.join(repository.git, 'index');
  // What is missing comes into being with a change of the folder it lies in.
  const present = [...files, index].filter((file) => kindOf(file) !== undefined);
  const before = stamp(present);
  const reasons: string[] = repository.unreadable ? [`${repository.unreadable} cannot be read`] : [];
  const hooksFolders = [path.join(repository.common, 'hooks')];
  for (const file of files) {
    const text = readSmall(file);
    if (text === undefined) continue;
    if (text === false) {
      reasons.push(`${file} cannot be read`);
      continue;
    }
    for (const { key, value } of configKeys(text)) {
      if (key === 'core.hookspath') {
        // Of another person's home, or of where git is installed, is not worked out here.
        if (/^~(?!\/)|^%/.test(value)) reasons.push(`${key} = ${value}`);
        const written = value.replace(/^~(?=\/)/, process.env['HOME'] ?? '~');
        // Relative to the folder that a hook runs in: the work tree, or the repository itself.
        hooksFolders.push(path.resolve(repository.tree, written), path.resolve(repository.git, written));
      } else if (!isHarmless(key, value)) reasons.push(`${key} = ${value}`);
    }
  }
  const submodules = hasSubmodules(repository);
  if (submodules !== '') reasons.push(submodules);
  const beforeHooks = stamp(hooksFolders);
  const settings = { reasons, hooks: [...new Set(hooksFolders.flatMap(hooksOf))] };
  if (known.size >= KNOWN_MAX) known.clear();
  const watched = [
    ...present,
    ...hooksFolders,
    repository.git,
    ...(repository.git === repository.common ? [] : [repository.common]),
  ];
  const state = stamp(watched);
  const unchanged = state.startsWith(before + beforeHooks) && folder === stamp([repository.git, repository.common]);
  if (unchanged && isSettled(watched)) known.set(repository.git, { watched, state, settings });
  return settings;
};

/** A second change within the same tick of the clock could not be told from the first. */
const isSettled = (files: readonly string[]): boolean => {
  const limit = Date.now() - SETTLED_MS;
  return files.every((file) => (statOf(file)?.ctimeMs ?? 0) < limit);
};
const SETTLED_MS = 100;

const isHarmless = (key: string, value: string): boolean => {
  if (key === 'core.fsmonitor') return /^(?:false|no|off|0|)$/i.test(value);
  // An address may name a program (ext::…).
  if (/\.(?:url|pushurl|remote|pushremote)$/.test(key) && /^"?-|::/.test(value)) return false;
  return HARMLESS.some((pattern) => pattern.test(key));
};

const stamp = (files: readonly string[]): string => {
  let text = '';
  for (const file of files) {
    const stat = statOf(file);
    text += stat === undefined ? '-;' : `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs};`;
  }
  return text;
};

/** Git looks into submodules by itself, and there follows settings of their own. */
const hasSubmodules = ({ git }: Repository): string => {
  for (const name of ['index', ...sharedIndexes(git)]) {
    const index = readSmall(path.join(git, name), AGENT_LIMITS.repositoryIndexBytes);
    if (index === false) return `${path.join(git, name)} cannot be read`;
    if (index?.includes(SUBMODULE_MODE)) return 'a submodule with settings of its own';
  }
  return '';
};
/** A split index keeps most entries in files of their own. */
const sharedIndexes = (git: string): string[] => {
  try {
    return readdirSync(git).filter((name) => name.startsWith('sharedindex.'));
  } catch {
    return [];
  }
};
/** The mode of a submodule in the index, 160000 in octal digits, as it stands there. */
const SUBMODULE_MODE = '\0\0\xe0\0';

type Repository = { git: string; common: string; tree: string; unreadable?: string };

/**
 * As git looks for it: a `.git` in this folder or above, or a folder that is a repository itself. One that git may take
 * for none counts too, with the next one above it.
 */
const findRepositories = (start: string): Repository[] => {
  const found: Repository[] = [];
  for (let folder = start; ; folder = path.dirname(folder)) {
    const dotGit = folder === '/' ? '/.git' : `${folder}/.git`;
    const stat = statOf(dotGit);
    if (stat?.isDirectory()) {
      const kind = kindOfRepository(dotGit, `${stat.ino} ${stat.mtimeMs} ${stat.ctimeMs}`, stat.ctimeMs);
      if (kind !== 'none') found.push(withCommon(dotGit, folder));
      if (kind === 'sure') return found;
    } else if (stat !== undefined) {
      const text = readSmall(dotGit);
      const target = text ? /^gitdir: ([^\0]+)/.exec(text)?.[1]?.replace(/[\r\n]+$/, '') : undefined;
      if (target === undefined || target.includes('\n')) {
        return [...found, { git: dotGit, common: dotGit, tree: folder, unreadable: dotGit }];
      }
      return [...found, withCommon(path.resolve(folder, target), folder)];
    }
    if (isThere(`${folder}/HEAD`) && isRepository(folder) !== 'none') found.push(withCommon(folder, folder));
    if (path.dirname(folder) === folder) return found;
  }
};

type RepositoryKind = 'sure' | 'maybe' | 'none';
const folders = new Map<string, { state: string; kind: RepositoryKind }>();
/** What lies in the folder is looked at again when something has come or gone in it. */
const kindOfRepository = (git: string, state: string, changedMs: number): RepositoryKind => {
  const kept = folders.get(git);
  if (kept?.state === state) return kept.kind;
  const kind = isRepository(git);
  if (folders.size >= KNOWN_MAX) folders.clear();
  if (changedMs < Date.now() - SETTLED_MS) folders.set(git, { state, kind });
  return kind;
};

/** A `HEAD` that is a link counts for git by its name alone. */
const isRepository = (git: string): RepositoryKind => {
  if (!isThere(path.join(git, 'HEAD'))) return 'none';
  const hasParts =
    statOf(path.join(git, 'commondir')) !== undefined ||
    (statOf(path.join(git, 'objects')) !== undefined && statOf(path.join(git, 'refs')) !== undefined);
  if (!hasParts) return 'none';
  const head = readSmall(path.join(git, 'HEAD'));
  return typeof head === 'string' && /^(?:ref:\s*refs\/|[0-9a-f]{40})/.test(head) ? 'sure' : 'maybe';
};

const isThere = (file: string): boolean => {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
};

const withCommon = (git: string, tree: string): Repository => {
  if (statSync(path.join(git, 'commondir'), { throwIfNoEntry: false }) === undefined) return { git, common: git, tree };
  const common = readSmall(path.join(git, 'commondir'));
  if (common === false) return { git, common: git, tree, unreadable: path.join(git, 'commondir') };
  return { git, common: common === undefined ? git : path.resolve(git, common.replace(/[\r\n]+$/, '')), tree };
};

const statOf = (file: string): Stats | undefined => {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    // A circle of links, or a folder that may not be looked into: git cannot use it either.
    return undefined;
  }
};
const kindOf = (file: string): 'file' | 'folder' | undefined => {
  const stat = statOf(file);
  return stat === undefined ? undefined : stat.isDirectory() ? 'folder' : 'file';
};

/** Whether they can be run is not asked: that may change without a trace in their folder. */
const hooksOf = (folder: string): string[] => {
  try {
    return readdirSync(folder).filter((name) => !name.endsWith('.sample') && /^[a-z-]+$/.test(name));
  } catch {
    return [];
  }
};

/** Undefined where there is none, false where it is there and cannot be read as a small plain file. */
const readSmall = (file: string, maxBytes = AGENT_LIMITS.repositoryConfigBytes): string | undefined | false => {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : false;
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile() || stat.size > maxBytes) return false;
    const bytes = Buffer.alloc(stat.size);
    const length = readSync(descriptor, bytes, 0, bytes.length, 0);
    return bytes.toString(maxBytes === AGENT_LIMITS.repositoryConfigBytes ? 'utf8' : 'latin1', 0, length);
  } catch {
    return false;
  } finally {
    closeSync(descriptor);
  }
};

/**
 * Keys in small letters (the middle part as written) with their values, read as git does: a comment ends with its line,
 * whatever its last character is, and only a value goes on after a backslash. What is odd becomes an unknown key.
 */
export const configKeys = (text: string): { key: string; value: string }[] => {
  const keys: { key: string; value: string }[] = [];
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  let section = '';
  for (let at = 0; at < lines.length; at += 1) {
    let line = (lines[at] as string).trim();
    const header = /^\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line);
    if (header) {
      const name = header[2]?.replaceAll(/\\(.)/g, '$1');
      section = (header[1] as string).toLowerCase() + (name === undefined ? '' : `.${name}`);
      line = line.slice(header[0].length).trim();
    }
    if (line === '' || /^[#;]/.test(line)) continue;
    const entry = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=(.*))?$/s.exec(line);
    if (entry === null) {
      keys.push({ key: `${section}.?`, value: line });
      continue;
    }
    const key = `${section}.${(entry[1] as string).toLowerCase()}`;
    if (entry[2] === undefined) {
      keys.push({ key, value: 'true' });
      continue;
    }
    // The end of the line may be a backslash, which `trim` left where it was.
    const read = configValue(entry[2].trimStart(), lines, at);
    keys.push(read === undefined ? { key: `${section}.?`, value: line } : { key, value: read.value });
    at = read?.at ?? at;
  }
  return keys;
};

/** A value with its quotes, escapes and continued lines taken away, and the line it ends on; undefined for a broken one. */
const configValue = (
  start: string,
  lines: readonly string[],
  from: number,
): { value: string; at: number } | undefined => {
  let text = start;
  let at = from;
  let value = '';
  let kept = 0;
  let isQuoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] as string;
    if (character === '\\' && index === text.length - 1) {
      at += 1;
      if (at >= lines.length) break;
      text += `\0${lines[at] as string}`;
    } else if (character === '\\') {
      index += 1;
      const escaped = ESCAPES[text[index] as string];
      if (escaped === undefined) return undefined;
      value += escaped;
      kept = value.length;
    } else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === '#' || character === ';')) break;
    else if (character !== '\0') {
      value += character;
      if (isQuoted || !/\s/.test(character)) kept = value.length;
    }
  }
  return isQuoted ? undefined : { value: value.slice(0, kept), at };
};
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b', '"': '"', '\\': '\\' };
