import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listFiles, readSource } from '../../tests/source-files.ts';
import { presentSignature } from './bring-in.ts';
import { fullStatAt, statAt } from './place.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'halter-place-'));
  writeFileSync(path.join(folder, 'file'), 'x');
  symlinkSync('loop', path.join(folder, 'loop'));
  symlinkSync('gone', path.join(folder, 'dangling'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('what lies at a name, which a command may change at any moment', () => {
  it.each([
    'gone',
    'gone/x',
    'file/x',
    'file/x/.git/index',
    'loop/x',
    'dangling/x',
    `${'n'.repeat(300)}`,
    `a/${'n'.repeat(5_000)}`,
  ])('is nothing, whatever the system says to that: %.20s', (name) => {
    const file = path.join(folder, name);
    expect([statAt(file), fullStatAt(file), presentSignature(file)]).toEqual([undefined, undefined, '']);
  });

  it('is asked for in one way', () => {
    const others = listFiles('src/sandbox')
      .map(readSource)
      .filter(({ path: name, code }) => !/place(?:\.test)?\.ts$/.test(name) && code.includes('throwIfNoEntry'));
    expect(others.map(({ path: name }) => name)).toEqual([]);
  });
});
