/** Started in a folder that was removed, every command says so in a line. */
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { verifies } from '../requirements.ts';
import { MAIN } from '../support/program.ts';
import { scratchFolder } from '../support/scratch.ts';

const startedInRemoved = (args: readonly string[]) => {
  const home = scratchFolder();
  const folder = path.join(home, 'gone');
  mkdirSync(folder);
  const script = 'cd "$1" && rmdir "$1" && shift && exec "$@"';
  return new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
    execFile(
      '/bin/bash',
      ['-c', script, 'bash', folder, process.execPath, MAIN, ...args],
      { env: { ...process.env, HOME: home } },
      (error, out, err) => resolve({ code: error?.code ?? 0, out, err }),
    );
  });
};

it.each([
  [[]],
  [['--version']],
  [['--help']],
  [['run', 'x']],
  [['run', '-C', '/', 'x']],
  [['doctor']],
  [['config', 'path']],
  [['completion', 'bash']],
  [['sessions', 'list']],
])('%j says that the folder is gone', async (args) => {
  verifies('B11');
  expect(await startedInRemoved(args)).toEqual({
    code: 1,
    out: '',
    err: 'halter: The folder that you are in is gone: it was removed. Go to another one, such as `cd ~`.\n',
  });
});
