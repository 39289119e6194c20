/** After halter has ended, however it ended, nothing runs that it started: background jobs and what left their groups included. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { startHalter } from '../support/halter-process.ts';
import { isAlive } from '../support/is-alive.ts';
import { scratchFolder } from '../support/scratch.ts';

const until = async (fact: () => boolean): Promise<void> => {
  while (!fact()) await new Promise((resolve) => setImmediate(resolve));
};

const JOB = 'setsid sleep 300 & echo $! > child; sleep 300 & echo $! > sleeper; echo $$ > shell; wait';

describe.skipIf(process.platform !== 'linux')('a background job', () => {
  it.each(['SIGKILL', 'SIGTERM', 'SIGHUP'] as const)('is gone after %s of halter', async (signal) => {
    verifies('L1', 'U1');
    const cwd = scratchFolder();
    const server = await startScriptedServer({
      turns: [
        { calls: [{ name: 'bash', arguments: { command: JOB, background: true } }] },
        { calls: [{ name: 'read_job', arguments: { job_id: 'job_1', wait_ms: 60_000 } }] },
        { text: 'never said' },
      ],
    });
    onTestFinished(() => server.close());
    const flags = ['--provider', 'openai', '--base-url', server.openaiUrl, '--no-sandbox', '--allow', 'bash'];
    const halter = startHalter(['run', 'start it', ...flags], { cwd });
    const files = ['child', 'sleeper', 'shell'].map((name) => join(cwd, name));
    await until(() => files.every((file) => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n')));
    const pids = files.map((file) => Number(readFileSync(file, 'utf8')));
    expect(pids.every(isAlive)).toBe(true);
    halter.child.kill(signal);
    await halter.finished;
    await until(() => !pids.some(isAlive));
  });
});
