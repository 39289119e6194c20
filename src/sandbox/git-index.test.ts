import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { inTurn } from '../../tests/support/long.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { digestOfIndex } from './git-index.ts';

const openRepository = (format: string, version: string) => {
  const root = scratchFolder();
  const run = (line: string): string => {
    const ran = spawnSync('/bin/bash', ['-ec', line], {
      cwd: root,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    });
    if (ran.status !== 0) throw new Error(ran.stderr);
    return ran.stdout;
  };
  run(`git init -q --object-format=${format} .; git config index.version ${version}; mkdir d`);
  run('for n in $(seq 20); do echo $n > d/file-$n; done; echo long > a-name-of-some-length; git add .');
  const digest = (): string | undefined => digestOfIndex(readFileSync(path.join(root, '.git/index')));
  return { run, digest, read: () => readFileSync(path.join(root, '.git/index')) };
};

describe('what an index says', () => {
  const FORMATS = [
    ['sha1', '2'],
    ['sha1', '4'],
    ['sha256', '2'],
  ] as const;
  // Usually each format is tried with one of the two.
  for (const [format, version] of inTurn(FORMATS, 0, 2))
    it(`is the same when it was only refreshed (${format}, version ${version})`, () => {
      const { run, digest, read } = openRepository(format, version);
      const [before, bytes] = [digest(), read()];
      expect(before).toMatch(/^[0-9a-f]{64}$/);
      run('touch -d 2001-02-03 d/*; git status --short; git write-tree');
      expect(read().equals(bytes)).toBe(false);
      expect(digest()).toBe(before);
    });

  for (const [format, version] of inTurn(FORMATS, 1, 2))
    it(`is another when something was added, removed, marked or made runnable (${format}, version ${version})`, () => {
      const { run, digest } = openRepository(format, version);
      const seen = [digest()];
      for (const line of [
        'echo x > d/file-3; git add .',
        'git rm -q --cached d/file-7',
        'git update-index --chmod=+x d/file-2',
        'git update-index --skip-worktree d/file-4',
        'touch d/new; git add -N d/new',
      ]) {
        run(line);
        seen.push(digest());
      }
      expect(seen).not.toContain(undefined);
      expect(new Set(seen).size).toBe(6);
    });

  it('is not known of what is no index, of a damaged one, and of one that is spread over several files', () => {
    const { run, digest, read } = openRepository('sha1', '2');
    const whole = read();
    for (const cut of [0, 3, 11, 40, 100, whole.length - 30])
      expect(digestOfIndex(whole.subarray(0, cut))).toBeUndefined();
    expect(digestOfIndex(Buffer.from(`XXXX${'\0'.repeat(100)}`))).toBeUndefined();
    run('git update-index --split-index');
    expect(digest()).toBeUndefined();
  });
});
