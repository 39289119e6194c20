/** Two real builds share a database: that of 0.1.0's tables, out of the history of this repository, and this one. */
import { execFile, spawnSync } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { verifies } from '../requirements.ts';
import { ROOT } from '../source-files.ts';
import { timeLimit } from '../support/long.ts';
import { NO_POSTGRES } from '../support/postgres.ts';

const FROM = '1129a557';
const hasHistory = spawnSync('git', ['-C', ROOT, 'cat-file', '-e', `${FROM}^{tree}`]).status === 0;
const NOT_HERE = NO_POSTGRES ?? (hasHistory ? undefined : `without the history of this repository, back to ${FROM}`);

it.skipIf(NOT_HERE !== undefined)(
  `old and new workers and servers work at the same time, and the old ones refuse to start again${NOT_HERE ? ` (${NOT_HERE})` : ''}`,
  { timeout: timeLimit(240_000) },
  async () => {
    verifies('B12', 'U1');
    const script = path.join(ROOT, 'bench/scale/upgrade.ts');
    const args = [script, '--from', FROM, '--conversations', '6'];
    const running = promisify(execFile)(process.execPath, args);
    onTestFinished(() => void running.child.kill('SIGTERM'));
    const { stdout } = await running.catch((error: { stdout: string }) => error);
    const told = stdout.split('\n').filter((line) => /^(yes|NO ) /.test(line));
    expect(
      told.filter((line) => line.startsWith('NO')),
      stdout,
    ).toEqual([]);
    expect(told, stdout).toHaveLength(13);
  },
);
