/** Paths that settings of git name: hooks, filters, helpers, further settings. They count whatever they are called. */
import path from 'node:path';
import { readSmallFile } from './anchored.ts';
import { statOf } from './changes.ts';
import { namedInConfig } from './git-config.ts';
import { SANDBOX_LIMITS } from './limits.ts';

export type NamedPaths = { has(target: string): boolean };

export const createNamedPaths = (home: string): NamedPaths => {
  const byRepository = new Map<string, ReadonlySet<string>>();
  const global = ['.gitconfig', '.config/git/config'].flatMap((name) => wordsOf(path.join(home, name)));
  const namedIn = (folder: string): ReadonlySet<string> => {
    const known = byRepository.get(folder);
    if (known) return known;
    const made = statOf(path.join(folder, '.git')) ? namesOfRepository(folder, global) : new Set<string>();
    byRepository.set(folder, made);
    return made;
  };
  return {
    has(target) {
      for (let folder = path.dirname(target); ; folder = path.dirname(folder)) {
        const names = namedIn(folder);
        if (names.size > 0 && ancestors(target, folder).some((each) => names.has(each))) return true;
        if (folder === path.dirname(folder)) return false;
      }
    },
  };
};

const namesOfRepository = (folder: string, global: readonly string[]): ReadonlySet<string> => {
  const settings = settingsOf(path.join(folder, '.git'));
  const own = settings.flatMap((place) =>
    ['config', 'config.worktree'].flatMap((name) => wordsOf(path.join(place, name))),
  );
  // A program without a folder is looked up elsewhere; a file of that name may be a script that another program is given.
  const isPlace = (word: string): boolean =>
    /[/.]/.test(word) || statOf(path.join(folder, word))?.isDirectory() === false;
  const named = new Set([
    ...[...own, ...global].filter(isPlace).map((word) => path.resolve(folder, word)),
    ...settings.flatMap((place) => own.map((word) => path.resolve(place, word))),
  ]);
  // A word that names the whole folder ("." or an empty prefix) would keep everything.
  named.delete(folder);
  return named;
};

const wordsOf = (file: string): string[] => namedInConfig(readSmallFile(file, SANDBOX_LIMITS.configBytes) ?? '');

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
