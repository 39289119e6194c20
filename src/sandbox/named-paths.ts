/** Paths that settings of git name: hooks, filters, helpers, further settings. They count whatever they are called. */
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { readSmallFile } from './anchored.ts';
import { followLinks } from './follow-links.ts';
import { includedBy, namedInConfig } from './git-config.ts';
import type { Change } from './git-folder.ts';
import { SANDBOX_LIMITS } from './limits.ts';
import { statAt as statOf } from './place.ts';

/** `kind`: a link in the place of a folder above what is named leads git elsewhere. */
export type NamedPaths = { has(target: string, kind?: Change['kind']): boolean };

export const createNamedPaths = (home: string): NamedPaths => {
  const byRepository = new Map<string, ReadonlySet<string>>();
  const global = GLOBAL.flatMap((name) => wordsOf(path.resolve(home, name), home));
  const anywhere = withTargets(global.filter((word) => path.isAbsolute(word)).map((word) => path.resolve(word)));
  const namedIn = (folder: string): ReadonlySet<string> => {
    const known = byRepository.get(folder);
    if (known) return known;
    const made = statOf(path.join(folder, '.git')) ? namesOfRepository(folder, home, global) : anywhere;
    byRepository.set(folder, made);
    return made;
  };
  return {
    has(target, kind) {
      for (let folder = path.dirname(target); ; folder = path.dirname(folder)) {
        const names = namedIn(folder);
        if (names.size > 0 && ancestors(target, folder).some((each) => names.has(each))) return true;
        if (kind === 'link' && [...names].some((each) => each.startsWith(`${target}/`))) return true;
        if (folder === path.dirname(folder)) return false;
      }
    },
  };
};

const GLOBAL = ['/etc/gitconfig', '.gitconfig', '.config/git/config'];

const namesOfRepository = (folder: string, home: string, global: readonly string[]): ReadonlySet<string> => {
  const settings = settingsOf(path.join(folder, '.git'));
  const own = settings.flatMap((place) =>
    ['config', 'config.worktree'].flatMap((name) => wordsOf(path.join(place, name), home)),
  );
  // A program without a folder is looked up elsewhere; a file of that name may be a script that another program is given.
  const isPlace = (word: string): boolean =>
    /[/.]/.test(word) || statOf(path.join(folder, word))?.isDirectory() === false;
  const named = withTargets([
    ...[...own, ...global].filter(isPlace).map((word) => path.resolve(folder, word)),
    ...settings.flatMap((place) => own.map((word) => path.resolve(place, word))),
  ]);
  // A word that names the whole folder ("." or an empty prefix) would keep everything.
  named.delete(folder);
  return named;
};

/** With what they lead to, and every link on the way. */
const withTargets = (named: readonly string[]): Set<string> => {
  const all = new Set(named);
  for (const each of named) {
    const followed = followLinks(each);
    for (const file of followed === undefined ? [] : [...followed.links, followed.target]) all.add(file);
  }
  return all;
};

/** Words of a configuration and of what it includes; a place in the home folder by its whole path. */
const wordsOf = (file: string, home: string): string[] => {
  const words: string[] = [];
  const waiting = [file];
  const seen = new Set<string>();
  for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) {
    if (seen.has(each) || seen.size >= SANDBOX_LIMITS.configsRead) continue;
    seen.add(each);
    const text = readLinkedFile(each);
    const atHome = (word: string): string => (word.startsWith('~/') ? path.join(home, word.slice(2)) : word);
    const included = includedBy(text).map((word) => path.resolve(path.dirname(each), atHome(word)));
    words.push(...namedInConfig(text).map(atHome), ...included);
    waiting.push(...included);
  }
  return words;
};

const readLinkedFile = (file: string): string => {
  try {
    return readSmallFile(realpathSync(file), SANDBOX_LIMITS.configBytes) ?? '';
  } catch {
    return '';
  }
};

/** Where the settings of a repository lie. Of a worktree or a submodule `.git` is a file that leads there. */
const settingsOf = (git: string): string[] => {
  const pointer = /^gitdir: ([^\n]+)/.exec(readSmallFile(git, SANDBOX_LIMITS.configBytes) ?? '')?.[1];
  const own = pointer === undefined ? git : path.resolve(path.dirname(git), pointer.trim());
  const common = readSmallFile(path.join(own, 'commondir'), SANDBOX_LIMITS.configBytes)?.trim();
  return common ? [own, path.resolve(own, common)] : [own];
};

/** The path itself and every folder above it, below `top`. */
const ancestors = (target: string, top: string): string[] => {
  const found: string[] = [];
  for (let at = target; at !== top && at.length > top.length; at = path.dirname(at)) found.push(at);
  return found;
};
