import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { followGitBranch } from './git-branch.ts';

it('names the branch, or the commit that no branch names', () => {
  const folder = scratchFolder();
  mkdirSync(path.join(folder, '.git'));
  const branchIn = (head: string): string | undefined => {
    writeFileSync(path.join(folder, '.git/HEAD'), head);
    return followGitBranch(folder, () => 0)();
  };
  expect(branchIn('ref: refs/heads/a/b\n')).toBe('a/b');
  expect(branchIn('0123456789abcdef0123456789abcdef01234567\n')).toBe('0123456');
  expect(branchIn('')).toBeUndefined();
});

it('waits for no pipe in the place of a HEAD', () => {
  const folder = scratchFolder();
  mkdirSync(path.join(folder, '.git'));
  execFileSync('mkfifo', [path.join(folder, '.git/HEAD')]);
  expect(followGitBranch(folder, () => 0)()).toBeUndefined();
});
