import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { FolderError } from './disk-failure.ts';
import { makeFolder, SHARED_MODE } from './make-folder.ts';

it('makes a folder with those above it, and leaves what is there', () => {
  const top = scratchFolder();
  makeFolder(path.join(top, 'a/b/c'));
  writeFileSync(path.join(top, 'a/b/c/kept'), 'x');
  makeFolder(path.join(top, 'a/b/c'), SHARED_MODE);
  expect(readdirSync(path.join(top, 'a/b/c'))).toEqual(['kept']);
  expect(statSync(path.join(top, 'a/b')).mode & 0o777).toBe(0o700);
});

it('follows a link to a folder', () => {
  const top = scratchFolder();
  mkdirSync(path.join(top, 'real'));
  symlinkSync('real', path.join(top, 'link'));
  makeFolder(path.join(top, 'link/below'));
  expect(statSync(path.join(top, 'real/below')).isDirectory()).toBe(true);
});

/** `below`: where no folder can be made, from a folder that is there. */
const IMPOSSIBLE: [what: string, place: (top: string) => string, words: RegExp][] = [
  ['below a file', (top) => path.join(top, 'file', 'x', 'y'), /a part of the path is a file \(ENOTDIR\)\. /],
  ['at a file', (top) => path.join(top, 'file'), /a part of the path is a file \(ENOTDIR\)\. /],
  ['behind a link to nothing', (top) => path.join(top, 'nothing', 'x'), /no folder can be made there \(ENOENT\)\. /],
  ['below itself, by links', (top) => path.join(top, 'round', 'x'), /\(ELOOP\)/],
  ['with a name that is too long', (top) => path.join(top, 'x'.repeat(300)), /\(ENAMETOOLONG\)/],
];
if (process.platform === 'linux')
  IMPOSSIBLE.push(
    ['below /proc', () => '/proc/halter-nowhere/x', /no folder can be made there \(ENOENT\)\. .*XDG_DATA_HOME/],
    ['in /sys', () => '/sys/halter-nowhere/x', /(?:you have no permission|read-only) \(\w+\)\. .*XDG_DATA_HOME/],
  );

it.each(IMPOSSIBLE)('says of a place %s which folder it is, why, and what to do', (_what, place, words) => {
  const top = scratchFolder();
  writeFileSync(path.join(top, 'file'), '');
  symlinkSync('gone', path.join(top, 'nothing'));
  symlinkSync('round', path.join(top, 'round'));
  const folder = place(top);
  const made = (): void => makeFolder(folder);
  expect(made).toThrow(FolderError);
  expect(made).toThrow(`The folder ${folder} cannot be made: `);
  expect(made).toThrow(words);
});
