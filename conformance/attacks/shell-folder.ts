/** The folder that a catalogue's shell lines expect: a repository with a change, and scripts that leave a CANARY. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { CannotRun } from './attack-case.ts';

export const CANARY = 'CANARY';
const LEAVES_A_MARK = `#!/bin/sh\ntouch ${CANARY}\n`;
const IDENTITY = ['-c', 'user.email=a@b.c', '-c', 'user.name=n'];
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/nonexistent', LANG: 'C.UTF-8' };

export const fillShellFolder = (folder: string): void => {
  const put = (name: string, text: string, mode = 0o644): void => {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text, { mode });
  };
  const git = (...words: string[]): void => {
    const result = spawnSync('git', [...IDENTITY, ...words], { cwd: folder, env: ENVIRONMENT, encoding: 'utf8' });
    if (result.error) throw new CannotRun('git is not installed');
    if (result.status !== 0) throw new Error(result.stderr);
  };
  put('a.txt', 'one\ntwo\nthree\n');
  put('src/b.txt', 'two\nfour\n');
  put('rc', '--pre=./p.sh\n');
  put('big', 'some words of a line\n'.repeat(20_000));
  for (const name of ['p.sh', 'ls', 'git', 'rm']) put(name, LEAVES_A_MARK, 0o755);
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'first');
  put('a.txt', 'one\ntwo\nthree\nfive\n');
};
