/**
 * Git runs what a repository's own settings name: a file watcher, filters, a pager, hooks. Here those settings are read
 * without asking git. Only keys that are known to be harmless are passed over; the rest counts as a program, so that a
 * key of tomorrow is asked about too. The person's own settings (~/.gitconfig) are theirs and are not read.
 */
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { LIMITS } from '../../../core/limits.ts';

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
  const repository = findRepository(folder);
  if (repository === undefined) return [];
  const { reasons, hooks } = settingsOf(repository);
  if (hooks.length === 0) return reasons;
  const running = hooks.filter((name) => !READING.test(command) || READING_HOOKS.test(name));
  return [...reasons, ...running.map((name) => `the hook ${name}`)];
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
  let hooksFolder = path.join(repository.common, 'hooks');
  for (const file of files) {
    const text = readSmall(file);
    if (text === undefined) continue;
    if (text === false) {
      reasons.push(`${file} cannot be read`);
      continue;
    }
    for (const { key, value } of configKeys(text)) {
      if (key === 'core.hookspath') {
        hooksFolder = path.resolve(repository.tree, value.replace(/^~(?=\/)/, process.env['HOME'] ?? '~'));
      } else if (!isHarmless(key, value)) reasons.push(`${key} = ${value}`);
    }
  }
  const submodules = hasSubmodules(repository);
  if (submodules !== '') reasons.push(submodules);
  const beforeHooks = stamp([hooksFolder]);
  const settings = { reasons, hooks: hooksOf(hooksFolder) };
  if (known.size >= KNOWN_MAX) known.clear();
  const watched = [
    ...present,
    hooksFolder,
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
  const index = readSmall(path.join(git, 'index'), LIMITS.repositoryIndexBytes);
  if (index === undefined) return '';
  if (index === false) return `${path.join(git, 'index')} cannot be read`;
  return index.includes(SUBMODULE_MODE) ? 'a submodule with settings of its own' : '';
};
/** The mode of a submodule in the index, 160000 in octal digits, as it stands there. */
const SUBMODULE_MODE = '\0\0\xe0\0';

type Repository = { git: string; common: string; tree: string; unreadable?: string };

/** As git looks for it: a `.git` in this folder or above, or a folder that is a repository itself. */
const findRepository = (start: string): Repository | undefined => {
  for (let folder = start; ; folder = path.dirname(folder)) {
    const dotGit = folder === '/' ? '/.git' : `${folder}/.git`;
    const stat = statOf(dotGit);
    if (stat?.isDirectory()) {
      const found = repositoryIn(dotGit, folder, `${stat.ino} ${stat.mtimeMs} ${stat.ctimeMs}`, stat.ctimeMs);
      if (found !== undefined) return found;
    } else if (stat !== undefined) {
      const text = readSmall(dotGit);
      const target = text ? /^gitdir: (.+)/.exec(text)?.[1]?.trim() : undefined;
      if (target === undefined) return { git: dotGit, common: dotGit, tree: folder, unreadable: dotGit };
      return withCommon(path.resolve(folder, target), folder);
    }
    if (statOf(`${folder}/HEAD`) !== undefined && isRepository(folder)) return withCommon(folder, folder);
    if (path.dirname(folder) === folder) return undefined;
  }
};

const folders = new Map<string, { state: string; repository: Repository | undefined }>();
/** What lies in the folder is looked at again when something has come or gone in it. */
const repositoryIn = (git: string, tree: string, state: string, changedMs: number): Repository | undefined => {
  const kept = folders.get(git);
  if (kept?.state === state) return kept.repository;
  const repository = isRepository(git) ? withCommon(git, tree) : undefined;
  if (folders.size >= KNOWN_MAX) folders.clear();
  if (changedMs < Date.now() - SETTLED_MS) folders.set(git, { state, repository });
  return repository;
};

/** Git goes on looking further up where these are not there. */
const isRepository = (git: string): boolean => {
  const head = readSmall(path.join(git, 'HEAD'));
  if (head === undefined || (head !== false && !/^(?:ref:\s*refs\/|[0-9a-f]{40})/.test(head))) return false;
  if (statOf(path.join(git, 'commondir')) !== undefined) return true;
  return statOf(path.join(git, 'objects')) !== undefined && statOf(path.join(git, 'refs')) !== undefined;
};

const withCommon = (git: string, tree: string): Repository => {
  if (statSync(path.join(git, 'commondir'), { throwIfNoEntry: false }) === undefined) return { git, common: git, tree };
  const common = readSmall(path.join(git, 'commondir'));
  if (common === false) return { git, common: git, tree, unreadable: path.join(git, 'commondir') };
  return { git, common: common === undefined ? git : path.resolve(git, common.trim()), tree };
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
const readSmall = (file: string, maxBytes = LIMITS.repositoryConfigBytes): string | undefined | false => {
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
    return bytes.toString(maxBytes === LIMITS.repositoryConfigBytes ? 'utf8' : 'latin1', 0, length);
  } catch {
    return false;
  } finally {
    closeSync(descriptor);
  }
};

/** Keys in small letters (the middle part as written) with their values, roughly: what is odd becomes an unknown key. */
export const configKeys = (text: string): { key: string; value: string }[] => {
  const keys: { key: string; value: string }[] = [];
  let section = '';
  // A backslash at the end of a line carries a value on.
  for (const raw of text.replaceAll(/\\\r?\n/g, ' ').split(/\r?\n|\r/)) {
    let line = raw.trim();
    const header = /^\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line);
    if (header) {
      section = (header[1] as string).toLowerCase() + (header[2] === undefined ? '' : `.${header[2]}`);
      line = line.slice(header[0].length).trim();
    }
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    const entry = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$/s.exec(line);
    if (entry === null) keys.push({ key: `${section}.?`, value: line });
    else keys.push({ key: `${section}.${(entry[1] as string).toLowerCase()}`, value: (entry[2] ?? 'true').trim() });
  }
  return keys;
};
