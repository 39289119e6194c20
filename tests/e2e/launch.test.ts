/** `halter launch`: a client finds a gateway that knows it, and what it ends with is what halter ends with. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LAUNCHED_CLIENTS } from '../../src/cli/launch/clients.ts';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { cleanEnvironment, runHalter, startHalter } from '../support/halter-process.ts';
import { isAlive } from '../support/is-alive.ts';
import { LAUNCHED_PROGRAMS } from '../support/launched-programs.ts';
import { everyNth, onlyLong } from '../support/long.ts';
import { INSTALL_MS, npmProgram } from '../support/npm-program.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

/** A client that finds the address and the token in whatever it was given, and asks for the models there. */
const STAND_IN = `#!${process.execPath}
const given = JSON.stringify([process.argv.slice(2), process.env]);
const settings = process.argv[process.argv.indexOf('--extension') + 1];
const url = /http:\\/\\/127\\.0\\.0\\.1:\\d+/.exec(given + (settings.endsWith('halter.js') ? require('node:fs').readFileSync(settings, 'utf8') : ''))[0];
const token = process.env.HALTER_TOKEN ?? process.env.ANTHROPIC_AUTH_TOKEN ?? process.env.OPENAI_API_KEY ?? JSON.parse(process.env.OPENCODE_CONFIG_CONTENT).provider['halter-session'].options.apiKey;
fetch(url + '/v1/models', { headers: { authorization: 'Bearer ' + token } }).then(({ status }) => {
  console.log(JSON.stringify({ status, words: process.argv.slice(2), direct: process.env.NO_PROXY }));
  process.exitCode = 7;
});
`;

/** Reads its settings in the order of Claude Code: later ones win. */
const CLAUDE_READER = `#!${process.execPath}
const fs = require('node:fs');
const given = process.argv[process.argv.indexOf('--settings') + 1];
const files = [process.env.HOME + '/.claude/settings.json', '.claude/settings.json', '.claude/settings.local.json', given];
const variables = Object.assign({}, process.env, ...files.map((file) => JSON.parse(fs.readFileSync(file, 'utf8')).env));
fetch(variables.ANTHROPIC_BASE_URL + '/v1/models', { headers: { authorization: 'Bearer ' + variables.ANTHROPIC_AUTH_TOKEN } })
  .then(({ status }) => console.log(JSON.stringify({ status, variables, file: given, mode: fs.statSync(given).mode })));
`;

/** As npm installs many programs: a script in front of the program itself, which is deaf to all that can be ignored. */
const DEAF_SHIM = `#!/bin/sh
/bin/sh -c 'trap "" TERM HUP INT; echo $$ > inner; while :; do sleep 1; done' &
echo $$ > outer
wait
`;

const modelServer = async (answer = 'Hello.') => {
  const server = await startScriptedServer({ turns: () => ({ text: answer }), models: [{ id: 'm' }] });
  onTestFinished(() => server.close());
  return ['--base-url', server.openaiUrl, '--model', 'm', '--provider', 'openai'];
};

describe('halter launch', () => {
  it.each(everyNth(Object.entries(LAUNCHED_CLIENTS), 3))(
    'starts %s against a gateway of its own',
    async (name, { program }) => {
      verifies('B2');
      const bin = scratchFolder();
      fs.writeFileSync(path.join(bin, program), STAND_IN, { mode: 0o755 });
      const home = scratchFolder();
      const env = { PATH: `${bin}:${cleanEnvironment(home)['PATH']}`, no_proxy: 'intranet', NO_PROXY: '' };
      const ran = await runHalter(['launch', name, ...(await modelServer()), '--', '--flag-of-the-client', 'words'], {
        env,
        home,
      });
      expect(ran.err).toBe('');
      const seen = JSON.parse(ran.out) as { status: number; words: string[]; direct: string };
      expect(seen.status).toBe(200);
      // A proxy would read the prompts that stay on this machine.
      expect(seen.direct).toBe('intranet,127.0.0.1,localhost');
      expect(seen.words.slice(-2)).toEqual(['--flag-of-the-client', 'words']);
      expect(ran.code).toBe(7);
      expect(
        fs.readdirSync(home).filter((entry) => entry !== '.config' && entry !== '.local' && entry !== '.cache'),
      ).toEqual([]);
    },
  );

  it('keeps the prompt from the server that the settings of claude name, and tells the window', async () => {
    const rival = await startScriptedServer({ turns: () => ({ text: 'stolen' }), models: [{ id: 'm' }] });
    onTestFinished(() => rival.close());
    const bin = scratchFolder();
    fs.writeFileSync(path.join(bin, 'claude'), CLAUDE_READER, { mode: 0o755 });
    const [home, folder] = [scratchFolder(), scratchFolder()];
    const elsewhere = JSON.stringify({
      env: {
        ANTHROPIC_BASE_URL: rival.openaiUrl.replace('/v1', ''),
        ANTHROPIC_AUTH_TOKEN: 'theirs',
        ANTHROPIC_API_KEY: 'theirs',
        CLAUDE_CODE_USE_BEDROCK: '1',
        NO_PROXY: '',
      },
    });
    putFiles(home, { '.claude/settings.json': elsewhere });
    putFiles(folder, { '.claude/settings.json': elsewhere, '.claude/settings.local.json': elsewhere });
    const env = { PATH: `${bin}:${cleanEnvironment(home)['PATH']}` };
    const given = ['launch', 'claude', ...(await modelServer()), '--context-length', '54321'];
    const ran = await runHalter(given, { env, home, cwd: folder });
    expect(ran.err).toBe('');
    const { status, variables, file, mode } = JSON.parse(ran.out);
    expect(status).toBe(200);
    expect(variables).toMatchObject({
      ANTHROPIC_API_KEY: '',
      CLAUDE_CODE_USE_BEDROCK: '',
      NO_PROXY: '127.0.0.1,localhost',
      CLAUDE_CODE_MAX_CONTEXT_TOKENS: '54321',
    });
    expect(rival.requests).toEqual([]);
    // The token is in no list of processes, and nothing of it stays.
    expect([mode & 0o077, fs.existsSync(file)]).toEqual([0, false]);
    const replaced = await runHalter([...given, '--', '--settings', '{}'], { env, home, cwd: folder });
    expect([replaced.code, replaced.err]).toEqual([2, expect.stringContaining('--settings')]);
  });

  it('says how a client is installed that is not there, and which clients there are', async () => {
    const missing = await runHalter(['launch', 'codex', ...(await modelServer())]);
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('npm install -g @openai/codex')]);
    const unknown = await runHalter(['launch', 'codecs']);
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('Did you mean codex?')]);
  });

  it('says that there is no model before the client takes the screen', async () => {
    const bin = scratchFolder();
    fs.writeFileSync(path.join(bin, 'codex'), STAND_IN, { mode: 0o755 });
    const env = { PATH: `${bin}:${cleanEnvironment('/')['PATH']}` };
    const ran = await runHalter(['launch', 'codex', '--base-url', 'http://127.0.0.1:9/v1', '--model', 'm'], { env });
    expect([ran.code, ran.out]).toEqual([5, '']);
  });

  it.each<NodeJS.Signals>(everyNth(['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGKILL'], 3))(
    'takes the client along when it is ended by %s',
    async (signal) => {
      verifies('B2');
      const [bin, cwd, home] = [scratchFolder(), scratchFolder(), scratchFolder()];
      fs.writeFileSync(path.join(bin, 'codex'), DEAF_SHIM, { mode: 0o755 });
      const env = { PATH: `${bin}:${cleanEnvironment(home)['PATH']}` };
      const { child, finished } = startHalter(['launch', 'codex', ...(await modelServer())], { env, home, cwd });
      const files = ['inner', 'outer'].map((name) => path.join(cwd, name));
      await vi.waitUntil(() => files.every((file) => fs.existsSync(file) && fs.readFileSync(file, 'utf8') !== ''), {
        timeout: 30_000,
      });
      const pids = files.map((file) => Number(fs.readFileSync(file, 'utf8')));
      onTestFinished(() => {
        for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
      });
      expect(pids.map(isAlive)).toEqual([true, true]);
      child.kill(signal);
      await finished;
      await vi.waitUntil(() => !pids.some(isAlive), { timeout: 30_000 });
    },
  );

  // The program is large: the usual run has the stand-in above.
  it.each(onlyLong(LAUNCHED_PROGRAMS))(
    'runs the real program $name',
    { timeout: INSTALL_MS + 60_000 },
    async ({ client, args, ...real }) => {
      const program = await npmProgram(real);
      const folder = scratchFolder();
      const home = scratchFolder();
      putFiles(folder, { 'a.txt': 'x' });
      putFiles(home, { '.claude.json': JSON.stringify({ hasCompletedOnboarding: true }) });
      const env = {
        PATH: `${path.dirname(program)}:${cleanEnvironment(home)['PATH']}`,
        OPENCODE_DISABLE_MODELS_FETCH: '1',
      };
      const ran = await runHalter(['launch', client, ...(await modelServer('Forty-two it is.')), '--', ...args], {
        env,
        home,
        cwd: folder,
      });
      expect(ran.out).toContain('Forty-two it is.');
      expect(ran.code).toBe(0);
    },
  );
});
