/** Programs that get something from the network, where there is none: each ends soon, and it is said what would let it. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { assembled } from '../../tests/support/assembled.ts';
import { everyNth } from '../../tests/support/long.ts';
import { putFiles, scratchFolder } from '../../tests/support/scratch.ts';
import { detectSandbox } from './index.ts';

const works = (await detectSandbox()).kind === 'bubblewrap';
const has = (line: string): boolean => {
  try {
    execFileSync('/bin/sh', ['-c', line], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
/** npm's own second tries take more than a minute. */
const TIMEOUT_MS = 40_000;
const ROWS: readonly (readonly [needs: string, line: string, host: string])[] = [
  ['npm --version', 'npm install left-pad', 'registry.npmjs.org'],
  ['npm --version', 'npm view left-pad version', 'registry.npmjs.org'],
  ['python3 -m pip --version', 'python3 -m pip install some-package --target x', 'pypi.org'],
  ['curl --version', 'curl -sS https://a.example/x', 'a.example'],
  ['git --version', 'git init -q && git fetch https://a.example/r.git', 'a.example'],
  ['git --version', 'git clone https://a.example/r.git', 'a.example'],
];

it.for(everyNth(ROWS, 2))(
  '%s: `%s` says at once what allows it',
  { timeout: 2 * TIMEOUT_MS },
  async ([needs, command, host], context) => {
    verifies('S40');
    if (!works) context.skip('bubblewrap does not work here (apt-get install bubblewrap)');
    if (!has(needs)) context.skip(`${needs} does not run here`);
    const folder = scratchFolder();
    putFiles(folder, { 'package.json': '{"name":"x","version":"1.0.0"}' });
    const environment = { HOME: scratchFolder(), PATH: process.env['PATH'] };
    const halter = await assembled({ folder, environment, platform: process.platform, yolo: true });
    const { error_message, metadata } = await halter.executeTool('bash', { command, timeout_ms: TIMEOUT_MS });
    expect([metadata.reason, error_message]).toEqual(['exit_code', expect.stringContaining(`--allow-host ${host}`)]);
  },
);
