/**
 * Git runs what a repository's own settings name: a file watcher, filters, a pager, hooks. Here those settings are read
 * without asking git. Only keys that are known to be harmless are passed over; the rest counts as a program, so that a
 * key of tomorrow is asked about too. The person's own settings (~/.gitconfig) are theirs and are not read.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { AGENT_LIMITS } from '../../limits.ts';
import { configKeys } from './git-settings.ts';
import { findRepositories, KNOWN_MAX, kindOf, type Repository, readSmall, SETTLED_MS, statOf } from './repositories.ts';

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

/** `home`: what `~` means in a repository's settings. */
export const programsOfRepository = (folder: string, command: string, home: string): string[] => {
  return findRepositories(folder).flatMap((repository) => {
    const { reasons, hooks, remotes } = settingsOf(repository, home);
    const running = hooks.filter((name) => !READING.test(command) || READING_HOOKS.test(name));
    return [
      ...reasons,
      ...running.map((name) => `the hook ${name}`),
      ...(command === 'rebase' ? plannedLines(repository) : []),
      ...(command === 'push' ? remotes.flatMap((remote) => programsOfRepository(remote, 'receive-pack', home)) : []),
    ];
  });
};

/** A rebase that was begun goes on with lines for a shell. */
const plannedLines = ({ git }: Repository): string[] =>
  ['rebase-merge', 'rebase-apply'].flatMap((folder) => {
    const plan = readSmall(path.join(git, folder, 'git-rebase-todo'));
    return plan !== undefined && (plan === false || /^\s*(?:x|exec|!)\s/m.test(plan))
      ? [`${folder}/git-rebase-todo runs a line`]
      : [];
  });

/** `remotes`: folders of this machine that are pushed to. */
type Settings = { reasons: string[]; hooks: string[]; remotes: string[] };
const known = new Map<string, { watched: string[]; state: string; settings: Settings }>();

/** Read anew whenever one of the files has changed in any way: the time of change of a file cannot be set back. */
const settingsOf = (repository: Repository, home: string): Settings => {
  const key = `${repository.git}\n${home}`;
  const kept = known.get(key);
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
  const remotes: string[] = [];
  for (const file of files) {
    const text = readSmall(file);
    if (text === undefined) continue;
    if (text === false) {
      reasons.push(`${file} cannot be read`);
      continue;
    }
    for (const { key: name, value } of configKeys(text)) {
      if (name === 'core.hookspath') {
        // Of another person's home, or of where git is installed, is not worked out here.
        if (/^~(?!\/)|^%/.test(value)) reasons.push(`${name} = ${value}`);
        const written = value.replace(/^~(?=\/)/, home);
        // Relative to the folder that a hook runs in: the work tree, or the repository itself.
        hooksFolders.push(path.resolve(repository.tree, written), path.resolve(repository.git, written));
      } else if (isRemoteFolder(name, value, repository)) {
        remotes.push(path.resolve(repository.tree, value.replace(/^file:\/\//i, '').replace(/^~(?=\/)/, home)));
      } else if (!isHarmless(name, value)) reasons.push(`${name} = ${value}`);
    }
  }
  const submodules = hasSubmodules(repository);
  if (submodules !== '') reasons.push(submodules);
  const beforeHooks = stamp(hooksFolders);
  const settings = { reasons, hooks: [...new Set(hooksFolders.flatMap(hooksOf))], remotes };
  if (known.size >= KNOWN_MAX) known.clear();
  const watched = [
    ...present,
    ...hooksFolders,
    repository.git,
    ...(repository.git === repository.common ? [] : [repository.common]),
  ];
  const state = stamp(watched);
  const unchanged = state.startsWith(before + beforeHooks) && folder === stamp([repository.git, repository.common]);
  if (unchanged && isSettled(watched)) known.set(key, { watched, state, settings });
  return settings;
};

const isSettled = (files: readonly string[]): boolean => {
  const limit = Date.now() - SETTLED_MS;
  return files.every((file) => (statOf(file)?.ctimeMs ?? 0) < limit);
};

const isHarmless = (key: string, value: string): boolean => {
  if (key === 'core.fsmonitor') return /^(?:false|no|off|0|)$/i.test(value);
  // An address may name a program (ext::…).
  if (/\.(?:url|pushurl|remote|pushremote)$/.test(key) && /^"?-|::/.test(value)) return false;
  return HARMLESS.some((pattern) => pattern.test(key));
};

/** What is pushed there runs its hooks. The repository itself is looked at already. */
const isRemoteFolder = (key: string, value: string, { tree, git }: Repository): boolean => {
  if (!/\.(?:url|pushurl|remote|pushremote)$/.test(key) || /^"?-|::/.test(value)) return false;
  if (/^(?:file:\/\/|~\/)/i.test(value)) return true;
  const folder = path.resolve(tree, value);
  return !/^[\w+.-]+:/.test(value) && folder !== tree && folder !== git && kindOf(folder) === 'folder';
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

/** Whether they can be run is not asked: that may change without a trace in their folder. */
const hooksOf = (folder: string): string[] => {
  try {
    return readdirSync(folder).filter((name) => !name.endsWith('.sample') && /^[a-z-]+$/.test(name));
  } catch {
    return [];
  }
};
