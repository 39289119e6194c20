import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { fakeIo } from '../../tests/support/fake-io.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { readNamedFile, writeOutputFile } from './text-file.ts';

const pipeIn = (folder: string): string => {
  const pipe = join(folder, 'pipe');
  expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
  return pipe;
};
const read = (path: string, maxBytes = 100): Promise<string> => readNamedFile(path, '--tools', '/', maxBytes);

it.skipIf(process.platform === 'win32')('a named pipe is read to its end, as far as it may be long', async () => {
  const pipe = pipeIn(scratchFolder());
  const reading = read(pipe);
  await writeFile(pipe, 'ü and more');
  expect(await reading).toBe('ü and more');
  const tooLong = expect(read(pipe)).rejects.toThrow('it is larger than 100 bytes');
  await writeFile(pipe, 'x'.repeat(101));
  await tooLong;
});

it.skipIf(process.platform === 'win32')('a named pipe is written once somebody reads it', async () => {
  const folder = scratchFolder();
  const written = writeOutputFile(pipeIn(folder), 'x'.repeat(300_000), fakeIo({ cwd: folder }));
  expect((await readFile(join(folder, 'pipe'), 'utf8')).length).toBe(300_000);
  expect(await written).toBeUndefined();
});

it.skipIf(process.platform === 'win32')('nobody is waited for once the program is to end', async () => {
  const folder = scratchFolder();
  expect(await writeOutputFile(pipeIn(folder), 'x', fakeIo({ cwd: folder }), () => true)).toContain('nobody reads it');
});

it.skipIf(process.platform === 'win32')('says what is no file', async () => {
  const folder = scratchFolder();
  const socket = join(folder, 'socket');
  const server = createServer().listen(socket);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  await expect(read(socket)).rejects.toThrow(': it is a socket.');
  await expect(read(folder)).rejects.toThrow(': it is a folder.');
  await expect(read('/dev/zero')).rejects.toThrow('it is larger than 100 bytes');
  expect(await read('/dev/null')).toBe('');
});
