import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../../../../tests/support/scratch.ts';
import { configKeys } from './git-settings.ts';
import { programsOfRepository } from './repository-programs.ts';
import { surroundingsOf } from './surroundings.ts';

const HOME = '/home/nobody';

const repository = (): string => {
  const folder = scratchFolder();
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  rmSync(path.join(folder, '.git/hooks'), { recursive: true, force: true });
  return folder;
};
/** What git itself reads out of the file. */
const byGit = (text: string): string[] => {
  const file = path.join(scratchFolder(), 'config');
  writeFileSync(file, text);
  const out = execFileSync('git', ['config', '--file', file, '--list', '--null'], { encoding: 'utf8' });
  return out
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => entry.replace('\n', ' = '))
    .sort();
};

describe("git's own settings are read as git reads them", () => {
  it.each([
    '[core]\n\t# a comment \\\n\tfsmonitor = ./evil\n',
    '[core]\n\t; a comment \\\n\tpager = ./evil\n',
    '[core]\n\tbare = false # a comment \\\n\tpager = ./evil\n',
    '[core] pager = ./evil\n',
    '[core]\n\tpager = "./e # vil" ; x\n',
    '[core]\n\tpager = ./e\\\nvil\n',
    '[core]\n\tpager = ./evil\\\\\n\tbare = false\n',
    '[alias "x"]\n\tcommand = "a \\"b\\" c"\n',
    '[core]\r\n\tpager = ./evil\r\n',
    '\ufeff[core]\n\tpager = ./evil\n',
  ])('%j', (text) => {
    const read = configKeys(text)
      .map(({ key, value }) => `${key} = ${value}`)
      .sort();
    expect(read).toEqual(byGit(text));
  });

  it('a HEAD that is a link to a branch without a commit is one', () => {
    const folder = repository();
    rmSync(path.join(folder, '.git/HEAD'));
    symlinkSync('refs/heads/main', path.join(folder, '.git/HEAD'));
    execFileSync('git', ['config', 'core.fsmonitor', './evil'], { cwd: folder });
    expect(programsOfRepository(folder, 'status', HOME).join()).toContain('core.fsmonitor');
  });

  it('a folder for hooks is found where git looks for it, quoted or relative', () => {
    const folder = repository();
    mkdirSync(path.join(folder, 'my hooks'));
    writeFileSync(path.join(folder, 'my hooks/pre-commit'), '#!/bin/sh\n');
    writeFileSync(path.join(folder, '.git/config'), '[core]\n\thooksPath = "my hooks" # here\n');
    mkdirSync(path.join(folder, 'sub'));
    expect(programsOfRepository(path.join(folder, 'sub'), 'commit', HOME)).toEqual(['the hook pre-commit']);
  });

  it('a folder for hooks below the home folder is that of the person who is meant', () => {
    const folder = repository();
    const [home, other] = [scratchFolder(), scratchFolder()];
    mkdirSync(path.join(home, 'hooks'));
    writeFileSync(path.join(home, 'hooks/pre-commit'), '#!/bin/sh\n');
    writeFileSync(path.join(folder, '.git/config'), '[core]\n\thooksPath = ~/hooks\n');
    expect(programsOfRepository(folder, 'commit', home)).toEqual(['the hook pre-commit']);
    expect(programsOfRepository(folder, 'commit', other)).toEqual([]);
  });

  it("a work tree's own settings and a split index count", () => {
    const folder = repository();
    writeFileSync(path.join(folder, '.git/config.worktree'), '[core]\n\tpager = ./evil\n');
    expect(programsOfRepository(folder, 'log', HOME).join()).toContain('core.pager');
    const other = repository();
    writeFileSync(path.join(other, '.git/sharedindex.0123'), 'DIRC\0\0\xe0\0', 'latin1');
    expect(programsOfRepository(other, 'status', HOME)).toEqual(['a submodule with settings of its own']);
  });
});

describe('what a glob stands for', () => {
  it('is found as the shell finds it', () => {
    const folder = scratchFolder();
    for (const name of ['a.txt', 'b.txt', '.env', 'note1', 'note[2]']) writeFileSync(path.join(folder, name), '');
    mkdirSync(path.join(folder, 'sub'));
    writeFileSync(path.join(folder, 'sub/c.txt'), '');
    const { expand } = surroundingsOf(folder);
    for (const glob of ['*', '*.txt', 'note?', '*/c.txt', '[ab].txt', '[!a].txt', '.e*', 'no*thing', '*/*', '?.txt']) {
      const shell = execFileSync('bash', ['-c', `shopt -s nullglob; printf '%s\\n' ${glob}`], {
        cwd: folder,
        encoding: 'utf8',
      });
      expect(expand('.', glob)?.sort(), glob).toEqual(
        shell
          .split('\n')
          .filter((name) => name !== '')
          .sort(),
      );
    }
  });

  it('a search through a folder names the secret that it would print', () => {
    const folder = scratchFolder();
    mkdirSync(path.join(folder, 'a/b'), { recursive: true });
    writeFileSync(path.join(folder, 'a/b/.env'), 'KEY=1');
    utimesSync(folder, 1, 1);
    const { secretBelow } = surroundingsOf(folder);
    expect(secretBelow('.', 'a')).toBe('b/.env');
    expect(secretBelow('a', '.')).toBe('b/.env');
    expect(secretBelow('.', 'missing')).toBeUndefined();
  });

  it('what is decided in one go is looked at once, and anew the next time', () => {
    const [folder, outside] = [scratchFolder(), scratchFolder()];
    const { atOnce, secretBelow, linksBelow } = surroundingsOf(folder);
    const found = (): unknown[] => [secretBelow('.', '.'), linksBelow('.', '.')?.away?.name];
    const [before, during] = atOnce(() => {
      const first = found();
      writeFileSync(path.join(folder, '.env'), 'KEY=1');
      symlinkSync(outside, path.join(folder, 'out'));
      return [first, atOnce(found)];
    });
    expect(before).toEqual([undefined, undefined]);
    expect(during).toEqual(before);
    expect(found()).toEqual(['.env', 'out']);
  });
});
