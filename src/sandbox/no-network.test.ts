/** Programs that get something from the network, where there is none: each ends soon, and it is said what would let it. */
import { execFileSync } from 'node:child_process';
import { homedir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { assembled } from '../../tests/support/assembled.ts';
import { everyNth } from '../../tests/support/long.ts';
import { putFiles, scratchFolder } from '../../tests/support/scratch.ts';
import { detectSandbox } from './index.ts';

const works = (await detectSandbox()).kind === 'bubblewrap';
/** A home of its own; the toolchains of cargo lie in the person's. */
const environmentOf = (home: string) => ({
  HOME: home,
  PATH: process.env['PATH'],
  RUSTUP_HOME: process.env['RUSTUP_HOME'] ?? path.join(homedir(), '.rustup'),
});
const has = (line: string, env: NodeJS.ProcessEnv): boolean => {
  try {
    execFileSync('/bin/sh', ['-c', line], { stdio: 'ignore', env });
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
  ['npx --version', 'npx -y left-pad-cli', 'registry.npmjs.org'],
  ['pnpm --version', 'pnpm add left-pad', 'registry.npmjs.org'],
  ['pnpm --version', 'pnpm dlx left-pad-cli', 'registry.npmjs.org'],
  ['yarn --version', 'yarn add left-pad', 'registry.yarnpkg.com'],
  ['uv --version', 'uv pip install --target x some-package', 'pypi.org'],
  ['uv --version', 'uv init u && cd u && uv add some-package', 'pypi.org'],
  ['uvx --version', 'uvx some-package', 'pypi.org'],
  ['cargo --version', 'cargo init -q --name c && cargo search serde', 'index.crates.io'],
  ['cargo --version', 'cargo init -q --name c && cargo add serde', 'index.crates.io'],
];

it.for(everyNth(ROWS, 2))(
  '%s: `%s` says at once what allows it',
  { timeout: 2 * TIMEOUT_MS },
  async ([needs, command, host], context) => {
    verifies('S40');
    if (!works) context.skip('bubblewrap does not work here (apt-get install bubblewrap)');
    const environment = environmentOf(scratchFolder());
    if (!has(needs, environment)) context.skip(`${needs} does not run here`);
    const folder = scratchFolder();
    putFiles(folder, { 'package.json': '{"name":"x","version":"1.0.0"}' });
    const halter = await assembled({ folder, environment, platform: process.platform, yolo: true });
    const { error_message, metadata } = await halter.executeTool('bash', { command, timeout_ms: TIMEOUT_MS });
    expect([metadata.reason, error_message]).toEqual(['exit_code', expect.stringContaining(`--allow-host ${host}`)]);
  },
);
