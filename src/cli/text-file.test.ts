import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeIo } from '../../tests/support/fake-io.ts';
import { CLI_LIMITS } from './limits.ts';
import { checkOutputFile, readNamedFile, readNamedJson, textOrFile, writeOutputFile } from './text-file.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'halter-text-file-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('files that flags name', () => {
  it('are read as text and as JSON', async () => {
    await writeFile(join(folder, 'a.json'), '{"a": "ü"}');
    expect(await readNamedFile('a.json', '--json-schema', folder)).toBe('{"a": "ü"}');
    expect(await readNamedJson('a.json', '--json-schema', folder)).toEqual({ a: 'ü' });
    expect(await textOrFile('@a.json', '--system-prompt', folder)).toBe('{"a": "ü"}');
    expect(await textOrFile('as it is', '--system-prompt', folder)).toBe('as it is');
  });

  it('say what is wrong with them, with the flag', async () => {
    await mkdir(join(folder, 'sub'));
    await writeFile(join(folder, 'binary'), Buffer.from([0xff, 0xfe, 0x00]));
    await writeFile(join(folder, 'broken.json'), '{');
    await writeFile(join(folder, 'large'), Buffer.alloc(CLI_LIMITS.commandFileBytes + 1, 'x'));
    const read = (name: string) => readNamedFile(name, '--template', folder);
    await expect(read('none')).rejects.toThrow('--template "none": there is no such file.');
    await expect(read('sub')).rejects.toThrow('--template "sub": it is a folder.');
    await expect(read('binary')).rejects.toThrow('--template "binary": it is not text.');
    await expect(read('large')).rejects.toThrow('it is larger than 4,194,304 bytes');
    await expect(readNamedJson('broken.json', '--tools', folder)).rejects.toThrow('--tools "broken.json" is not JSON');
  });

  it('are written whole, and nothing is left beside them', async () => {
    const io = fakeIo({ cwd: folder });
    await writeFile(join(folder, 'answer'), 'old');
    expect(await writeOutputFile('answer', 'new\n', io)).toBeUndefined();
    expect(await readFile(join(folder, 'answer'), 'utf8')).toBe('new\n');
    expect(await readdir(folder)).toEqual(['answer']);
  });

  it('are looked at before the work begins', async () => {
    const io = fakeIo({ cwd: folder });
    await mkdir(join(folder, 'sub'));
    await expect(checkOutputFile('no/answer', io)).rejects.toThrow('there is no folder');
    await expect(checkOutputFile('sub', io)).rejects.toThrow('it is a folder');
    await checkOutputFile('answer', io);
    expect(await writeOutputFile('no/answer', 'x', io)).toContain('there is no such file');
  });
});
