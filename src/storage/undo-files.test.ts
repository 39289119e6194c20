import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { createUndoFiles } from './undo-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'halter-undo-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const keep = async (files: ReturnType<typeof createUndoFiles>, text: string): Promise<string> => {
  expect(await files.keep(hashOf(text), Buffer.from(text))).toEqual({ ok: true, value: undefined });
  return hashOf(text);
};
const read = async (files: ReturnType<typeof createUndoFiles>, hash: string): Promise<string> => {
  const content = await files.read(hash);
  return content.ok
    ? Buffer.from(content.value).toString()
    : `${content.error.error_type} ${content.error.reason ?? ''}`;
};
const placeOf = (hash: string): string => join(folder, hash.slice(0, 2), hash);

describe.each(['on the disk', 'in memory'])('old contents %s', (where) => {
  const open = (limits = {}) => createUndoFiles(where === 'on the disk' ? { folder, ...limits } : limits);

  it('come back as they were', async () => {
    verifies('B6');
    const files = open();
    const hash = await keep(files, 'old\0text \ud83d');
    expect(await read(files, hash)).toBe('old\0text \ufffd');
    expect(await read(files, hashOf('never kept'))).toContain('not_found');
  });

  it('make room for newer ones, the oldest first', async () => {
    const files = open({ maxBytes: 100 });
    const hashes: string[] = [];
    for (let index = 0; index < 6; index += 1) {
      const hash = await keep(files, `${index}`.repeat(40));
      hashes.push(hash);
      if (where === 'on the disk') utimesSync(placeOf(hash), index, index);
    }
    expect(await read(files, hashes[0] as string)).toContain('not_found');
    expect(await read(files, hashes[5] as string)).toBe('5'.repeat(40));
  });
});

describe('old contents on the disk', () => {
  it('are there for the next process, once however often they were kept, and for nobody else to read', async () => {
    verifies('B6');
    const hash = await keep(createUndoFiles({ folder }), 'old');
    await keep(createUndoFiles({ folder }), 'old');
    expect(await read(createUndoFiles({ folder }), hash)).toBe('old');
    expect(readdirSync(folder, { recursive: true })).toHaveLength(2);
  });

  it('are not believed where they are damaged, too long by now or a link', async () => {
    const files = createUndoFiles({ folder });
    const hash = await keep(files, 'old');
    writeFileSync(placeOf(hash), 'new');
    expect(await read(files, hash)).toContain('damaged');
    rmSync(placeOf(hash));
    writeFileSync(join(folder, 'elsewhere'), 'old');
    symlinkSync(join(folder, 'elsewhere'), placeOf(hash));
    expect(await read(files, hash)).toContain('io_error');
  });

  it('are named by hashes and by nothing else', async () => {
    const files = createUndoFiles({ folder });
    expect(await files.keep('../x', Buffer.from('x'))).toMatchObject({ ok: false });
    expect(await read(files, '../../etc/passwd')).toContain('not_found');
  });

  it('do not count what is not theirs, nor remove it', async () => {
    mkdirSync(join(folder, 'ab'), { recursive: true });
    writeFileSync(join(folder, 'ab', 'note.txt'), 'x'.repeat(500));
    const files = createUndoFiles({ folder, maxBytes: 100 });
    const hash = await keep(files, 'old');
    await keep(files, 'older');
    expect(await read(files, hash)).toBe('old');
    expect(readFileSync(join(folder, 'ab', 'note.txt'), 'utf8')).toHaveLength(500);
  });
});

it('clears away what killed processes left in any of its folders, and nothing of a living one', async () => {
  verifies('B6');
  const dead = spawnSync(process.execPath, ['-e', '0']).pid;
  const part = join(folder, '00');
  mkdirSync(part);
  const left = (pid: number): string => `.${'0'.repeat(64)}.${pid}-0123abcd.tmp`;
  for (const pid of [dead, process.pid]) writeFileSync(join(part, left(pid)), 'half of a cont');
  writeFileSync(join(part, 'notes.tmp'), 'of a person');
  await keep(createUndoFiles({ folder }), 'another content');
  expect(readdirSync(part).sort()).toEqual([left(process.pid), 'notes.tmp'].sort());
});
