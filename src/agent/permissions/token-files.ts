/** Whether a file of settings holds a key, by what is written in it now; and which settings of git do. */
import path from 'node:path';
import { isTokenFile, isTokenSetting, tokenIn } from '../../core/policy/token-files.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { configKeys } from './shell-rules/git-settings.ts';
import { findRepositories, readSmall } from './shell-rules/repositories.ts';

/** The setting in the file at an absolute path that holds a key; undefined where none does, or there is no file. */
export const tokenAt = (file: string): string | undefined => {
  if (!isTokenFile(file)) return undefined;
  const text = readSmall(file);
  // A pipe, a folder and a file that is closed to us are told by whoever opens them.
  return typeof text === 'string' ? tokenIn(text) : undefined;
};

/** Keys of git's settings with a token in them, as git has them in a folder: of the repository, the person, and what these include. */
export const gitTokens = (folder: string, home: string): string[] => {
  const own = findRepositories(folder).flatMap(({ git, common }) => [
    path.join(common, 'config'),
    path.join(git, 'config.worktree'),
  ]);
  const global = ['.gitconfig', '.config/git/config'].map((name) => path.join(home, name));
  const open = [...own, ...global];
  const found: string[] = [];
  for (let at = 0; at < open.length && at < AGENT_LIMITS.gitSettingsFiles; at += 1) {
    const file = open[at] as string;
    const text = readSmall(file);
    if (typeof text !== 'string') continue;
    for (const { key, value } of configKeys(text)) {
      const name = key.slice(key.lastIndexOf('.') + 1);
      // The section may hold an address too: url.https://token@host/.insteadof
      if (isTokenSetting(name, value) || tokenIn(key) !== undefined) found.push(key);
      if (/^include(?:if\..*)?\.path$/i.test(key))
        open.push(path.resolve(path.dirname(file), value.replace(/^~(?=\/)/, home)));
    }
  }
  return found;
};
