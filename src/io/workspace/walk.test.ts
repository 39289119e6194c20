import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { rounds } from '../../../tests/support/long.ts';
import { processorMs } from '../../../tests/support/processor-time.ts';
import { putFiles, scratchFolder } from '../../../tests/support/scratch.ts';
import type { Workspace } from '../../core/ports.ts';
import { createWorkspace } from '../workspace.ts';

const open = async (root: string, openBy?: 'descriptor' | 'path'): Promise<Workspace> => {
  const workspace = await createWorkspace(openBy === undefined ? { root } : { root, openBy });
  if (!workspace.ok) throw new Error(workspace.error.message);
  return workspace.value;
};

const walked = async (workspace: Workspace, options: Partial<Parameters<Workspace['walk']>[0]> = {}) => {
  const result = await workspace.walk({ maxPaths: 1_000, ...options });
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
};

it.each(['descriptor', 'path'] as const)(
  'lists files sorted, without the hidden and the ignored (by %s)',
  async (openBy) => {
    verifies('Z1');
    const root = scratchFolder();
    putFiles(root, {
      '.gitignore': '*.log\n/build/\n!keep.log\n',
      'a.txt': '',
      'a/b.txt': '',
      'a/.gitignore': 'c.*\n',
      'a/c.txt': '',
      'a-b.txt': '',
      'build/x.txt': '',
      'sub/build/x.txt': '',
      'x.log': '',
      'keep.log': '',
      '.hidden/x': '',
      '.git/HEAD': '',
      empty: null,
    });
    fs.symlinkSync('..', path.join(root, 'a/loop'));
    const workspace = await open(root, openBy);
    const visible = ['a-b.txt', 'a.txt', 'a/b.txt', 'keep.log', 'sub/build/x.txt'];
    expect(await walked(workspace)).toEqual({ paths: visible, truncated: false });
    expect(await walked(workspace, { path: 'a' })).toEqual({ paths: ['a/b.txt'], truncated: false });
    expect((await walked(workspace, { path: 'a', ignoreGitignore: true })).paths).toEqual(['a/b.txt', 'a/c.txt']);
    expect((await walked(workspace, { includeHidden: true })).paths).toEqual(
      [...visible, '.gitignore', '.hidden/x', 'a/.gitignore'].sort(),
    );
    expect(await walked(workspace, { maxPaths: 2 })).toEqual({ paths: visible.slice(0, 2), truncated: true });
    expect(await walked(workspace, { maxPaths: 5 })).toEqual({ paths: visible, truncated: false });
  },
);

const name = fc.constantFrom('a', 'b', 'c.log', 'd.txt', 'build', 'x y', 'A');
const plainRule = fc.constantFrom(
  '*.log',
  'a',
  '/a',
  'b/',
  '!a',
  '!c.log',
  'build',
  '**/x y',
  'a/**',
  '/b/*',
  '# a',
  '*',
  '!*/',
  'a/b',
  '[ab]',
  'd.*\\ ',
  ' ',
  '\\!a',
  'a/**/b',
  '**/a/*.log',
  '**',
  '/**/a',
  '!/a/b/',
  'a**',
  '**b',
  '[!a]',
  '[a-c]',
  '[[:upper:]]',
  '[a',
  'a\\',
  '?',
  '*/b',
  'b/**/',
  'x y ',
  '!**/d.txt',
  '\\a',
  '/',
  '//',
  'a//b',
  '[]a]',
  '*.*',
  'c.lo[^a-f]',
);
const madeRule = fc
  .array(fc.constantFrom('a', 'b', '*', '**', '?', '/', '!', '[ab]', 'c.log', '.', ' ', '\\'), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join(''))
  // Nobody escapes a slash or glues two stars to a name, and git itself reads these now one way, now another.
  .filter((line) => !line.includes('\\/') && !/\*\*[^/]|[^/]\*\*/.test(line));
const rule = fc.oneof(plainRule, madeRule);
const file = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));

it('agrees with git about random trees and ignore files', async (context) => {
  try {
    execFileSync('git', ['--version']);
  } catch {
    context.skip('git is not installed (apt-get install git)');
  }
  const scratch = scratchFolder();
  let round = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(file, { minLength: 1, maxLength: 14 }),
      fc.array(rule, { maxLength: 5 }),
      fc.array(rule, { maxLength: 4 }),
      async (files, topRules, lowerRules) => {
        const root = path.join(scratch, String(round++));
        fs.mkdirSync(root);
        for (const [content, where] of [
          [topRules, ''],
          [lowerRules, 'a/'],
          [lowerRules, 'b/a/'],
        ] as const) {
          putFiles(root, { [`${where}.gitignore`]: content.join('\n') });
        }
        for (const entry of files) {
          try {
            putFiles(root, { [entry]: 'x' });
          } catch {
            // A name that is a file already cannot be a folder, or the other way round.
          }
        }
        execFileSync('git', ['init', '-q', root], { env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' } });
        const told = execFileSync(
          'git',
          ['-C', root, '-c', 'core.excludesFile=', 'ls-files', '-z', '--others', '--exclude-standard'],
          {
            encoding: 'utf8',
          },
        );
        const expected = told
          .split('\0')
          .filter((entry) => entry !== '')
          .sort();
        const workspace = await open(root);
        expect((await walked(workspace, { includeHidden: true })).paths.toSorted()).toEqual(expected);
      },
    ),
    { numRuns: rounds(50, 1_000) },
  );
});

it('takes what git is told to leave out besides, and what halter is', async () => {
  const root = scratchFolder();
  putFiles(root, { '.git/info/exclude': 'private\n', '.halterignore': 'secret\n', private: '', secret: '', open: '' });
  expect((await walked(await open(root))).paths).toEqual(['open']);
});

it('does not follow a link put in the place of a folder, and outlives a tree of any depth', async () => {
  const scratch = scratchFolder();
  putFiles(scratch, { 'ws/a.txt': '', 'outside/secret.txt': '' });
  const root = path.join(scratch, 'ws');
  fs.symlinkSync('../outside', path.join(root, 'd'));
  let folder = root;
  for (let depth = 0; depth < 400; depth += 1) {
    folder = path.join(folder, 'd'.repeat(depth === 0 ? 2 : 1));
    fs.mkdirSync(folder);
  }
  fs.writeFileSync(path.join(folder, 'deep.txt'), '');
  for (const openBy of ['descriptor', 'path'] as const) {
    expect(await walked(await open(root, openBy))).toEqual({ paths: ['a.txt'], truncated: true });
  }
});

it('is not held up by an ignore file that was made to hold it up', async () => {
  const root = scratchFolder();
  const long = 'a'.repeat(250);
  putFiles(root, { '.gitignore': `${'*a'.repeat(40)}b\n**/${'a*'.repeat(30)}b\n*.log\n`, [long]: '', 'x.log': '' });
  // Where it goes back and forth it does not end.
  const cost = await processorMs(async () => expect((await walked(await open(root))).paths).toEqual([long]));
  expect(cost).toBeLessThan(10_000);
});

it('tells names that are no UTF-8 from those that look like them, and opens only the latter', async () => {
  const root = scratchFolder();
  const odd = (name: string): Buffer => Buffer.concat([Buffer.from(`${root}/${name}`), Buffer.from([0xff])]);
  putFiles(root, { 'x\ufffd': 'plain', 'd\ufffd/in.txt': 'plain' });
  fs.writeFileSync(odd('x'), 'odd');
  fs.writeFileSync(odd('y'), 'odd');
  fs.mkdirSync(odd('d'));
  fs.writeFileSync(Buffer.concat([odd('d'), Buffer.from('/hidden.txt')]), 'odd');
  const workspace = await open(root);
  expect(await walked(workspace)).toEqual({
    paths: ['d\ufffd/in.txt', 'x\ufffd'],
    truncated: false,
    unnamed: ['d\\xff', 'x\\xff', 'y\\xff'],
  });
  const listed = await workspace.list('.');
  if (!listed.ok) throw new Error(listed.error.message);
  expect(listed.value.map(({ name, kind, unnamed }) => [name, kind, unnamed])).toEqual([
    ['d\ufffd', 'directory', undefined],
    ['x\ufffd', 'file', undefined],
    ...['d\\xff', 'x\\xff', 'y\\xff'].map((name) => [name, name.startsWith('d') ? 'directory' : 'file', true]),
  ]);
  expect((await workspace.readFile('y\ufffd', { maxBytes: 10 })).ok).toBe(false);
});
