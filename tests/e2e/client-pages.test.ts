/** Each page of docs/how-to/clients says what connects one client: its settings are those that are written, its program runs. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CONNECTED_CLIENTS } from '../../src/cli/connect/clients.ts';
import { listen } from '../../src/server/index.ts';
import { verifies } from '../requirements.ts';
import { ROOT } from '../source-files.ts';
import { cleanEnvironment, runHalter } from '../support/halter-process.ts';
import { onlyLong } from '../support/long.ts';
import { INSTALL_MS, npmPackages, npmProgram } from '../support/npm-program.ts';
import { NPM_PROGRAMS } from '../support/npm-programs.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';
import { TOKEN, testServer } from '../support/test-server.ts';

const run = promisify(execFile);
const FOLDER = path.join(ROOT, 'docs/how-to/clients');
const ADDRESS = 'http://127.0.0.1:7411';
const ANSWER = 'Forty-two it is.';

const pageOf = (name: string): string => fs.readFileSync(path.join(FOLDER, `${name}.md`), 'utf8');
const blockIn = (page: string, language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(pageOf(page))?.[1] ?? '';

const gateway = async (): Promise<string> => {
  const server = await testServer(() => ({ text: ANSWER }), { models: [{ id: 'm' }] });
  const listening = await listen(server.app, { host: '127.0.0.1', port: 0 });
  if (!listening.ok) throw new Error(listening.error.message);
  onTestFinished(() => listening.value.close());
  return `http://127.0.0.1:${listening.value.port}`;
};

const SETTINGS = [
  { client: 'codex', page: 'codex', language: 'toml' },
  { client: 'claude', page: 'claude-code', language: 'json' },
  { client: 'opencode', page: 'opencode', language: 'json' },
  { client: 'qwen', page: 'qwen-code', language: 'json' },
  { client: 'pi', page: 'pi', language: 'json' },
];

describe('the page of a client', () => {
  it('is there for every client that can be connected', () => {
    expect(SETTINGS.map(({ client }) => client)).toEqual(Object.keys(CONNECTED_CLIENTS));
  });

  it.each(SETTINGS)('$page shows what `halter connect $client` writes', async ({ client, page, language }) => {
    verifies('U1');
    const home = scratchFolder();
    expect((await runHalter(['connect', client, '--yes'], { home })).code).toBe(0);
    const file = CONNECTED_CLIENTS[client]?.file(home, {}) as string;
    const { token } = JSON.parse(fs.readFileSync(path.join(home, '.config/halter/gateway-token.json'), 'utf8'));
    expect(blockIn(page, language).trim()).toBe(fs.readFileSync(file, 'utf8').replaceAll(token, 'TOKEN').trim());
  });

  it.each(fs.readdirSync(FOLDER))('%s says whether a test runs it', (file) => {
    expect(pageOf(file.replace('.md', ''))).toMatch(
      /^(?:Run by halter's tests: `tests\/e2e\/[\w-]+\.test\.ts`|Not run by a test of halter)/m,
    );
  });
});

const PROGRAMS = [
  { page: 'openai', packages: undefined },
  { page: 'ai-sdk', packages: undefined },
  { page: 'langchain', packages: undefined },
  ...onlyLong([
    { page: 'anthropic', packages: '@anthropic-ai/sdk@1.12.0' },
    { page: 'ollama', packages: 'ollama@0.6.4' },
  ]),
];

describe('the program on the page', () => {
  it.each(PROGRAMS)('$page gets an answer', { timeout: INSTALL_MS }, async ({ page, packages }) => {
    verifies('B2');
    const folder = scratchFolder();
    const modules = packages === undefined ? path.join(ROOT, 'node_modules') : await npmPackages(packages);
    fs.symlinkSync(modules, path.join(folder, 'node_modules'));
    putFiles(folder, { 'program.mjs': blockIn(page, 'mjs').replaceAll(ADDRESS, await gateway()) });
    const done = await run(process.execPath, ['program.mjs'], {
      cwd: folder,
      env: { ...cleanEnvironment(folder), HALTER_TOKEN: TOKEN },
    });
    expect(done.stdout.trim()).toBe(ANSWER);
  });

  it.each(onlyLong([NPM_PROGRAMS.cn]))(
    '$name gets an answer with the settings of its page',
    { timeout: 2 * INSTALL_MS },
    async (cn) => {
      verifies('B2');
      const program = await npmProgram(cn);
      const home = scratchFolder();
      const settings = blockIn('cn', 'yaml')
        .replaceAll(ADDRESS, await gateway())
        .replaceAll('TOKEN', TOKEN);
      putFiles(home, { '.continue/config.yaml': settings });
      const running = run(program, ['--config', path.join(home, '.continue/config.yaml'), '-p', 'Say it.'], {
        cwd: scratchFolder(),
        timeout: INSTALL_MS,
        env: { ...cleanEnvironment(home), CONTINUE_TELEMETRY_ENABLED: '0' },
      });
      running.child.stdin?.end();
      expect((await running).stdout).toContain(ANSWER);
    },
  );
});
