import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../tests/support/assembled.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { sandboxWarnings } from '../agent/create-agent/confinement.ts';
import { scriptedProvider } from '../testing/index.ts';
import type { TestAgentOptions } from '../testing/test-agent.ts';
import { leftBehindNote, sandboxNote, silentNetworkNote } from '../tools/sandbox-note.ts';
import { openConfinement } from './confine.ts';

const world = async (options: Partial<TestAgentOptions> = {}) => {
  const folder = scratchFolder();
  const home = scratchFolder();
  const warnings: string[] = [];
  const halter = await assembled({
    folder,
    environment: { HOME: home, PATH: process.env['PATH'], SOME_API_KEY: 'sk-not-to-be-seen' },
    platform: process.platform,
    allow: ['bash'],
    onWarning: (_code, message) => warnings.push(message),
    ...options,
  });
  const bash = (command: string) => halter.executeTool('bash', { command });
  return { bash, folder, home, halter, warnings };
};

describe('commands in the sandbox', () => {
  let works = false;
  beforeAll(async () => {
    const { report } = await openConfinement({
      root: '/',
      addDirs: [],
      paths: { config: '/nowhere', data: '/nowhere', cache: '/nowhere' },
      environment: {},
      network: false,
    });
    works = report.kind === 'bubblewrap';
  });
  const inSandbox = (name: string, run: () => Promise<void>): void =>
    it(name, { timeout: 30_000 }, async (test) => {
      if (!works) test.skip('bubblewrap does not work here (apt-get install bubblewrap)');
      await run();
    });

  inSandbox('is where they run unless the person says otherwise, and it is said', async () => {
    verifies('L11', 'S12');
    const { halter, warnings } = await world();
    expect(halter.confinement).toMatchObject({ kind: 'bubblewrap', confined: true, network: false });
    expect(halter.sandbox).toBe('bubblewrap, no network');
    expect(warnings).toEqual([]);
    const off = await world({ sandbox: false });
    expect(off.halter.sandbox).toBe('unsandboxed');
    expect(off.warnings.join()).toContain('run unsandboxed, with your own rights');
    expect((await world({ allowNetwork: true })).halter.confinement.network).toBe(true);
    expect((await world({ allowNetwork: true, offline: true })).halter.confinement.network).toBe(false);
  });

  it('says where its profile has never been tried', async () => {
    verifies('L11');
    const options = { root: '/', addDirs: [], environment: {}, network: false };
    const paths = { config: '/nowhere', data: '/nowhere', cache: '/nowhere' };
    const state = { kind: 'seatbelt', program: '/usr/bin/sandbox-exec', reason: 'test' } as const;
    const { report } = await openConfinement({ ...options, paths }, state);
    expect(report.text).toBe('seatbelt (untried), no network');
  });

  inSandbox('one finds in /tmp what another left there, and nothing of it stays', async () => {
    const { bash, halter, home } = await world();
    await bash('echo kept > /tmp/a; mkdir -p "$XDG_CACHE_HOME/x"');
    expect((await bash('cat /tmp/a')).data).toBe('kept\n');
    const place = path.join(home, '.cache/halter/tmp');
    expect(readdirSync(place)).toHaveLength(1);
    mkdirSync(path.join(place, '999999999-left-behind'));
    await halter.close();
    expect(readdirSync(place)).toEqual(['999999999-left-behind']);
    await bash('true');
    await expect.poll(() => existsSync(path.join(place, '999999999-left-behind'))).toBe(false);
  });

  inSandbox('has no key of the person in reach, whoever is looked at', async () => {
    verifies('S25');
    const { bash } = await world({ mode: 'yolo' });
    const { data } = await bash('env; cat /proc/[0-9]*/environ | tr "\\0" "\\n"');
    expect(data).toContain('HOME=');
    expect(data).not.toContain('sk-not');
  });

  inSandbox('says of a server in the background that nobody else reaches it', async () => {
    const provider = scriptedProvider([
      { calls: [{ name: 'bash', arguments: { command: 'sleep 300', background: true } }] },
      { text: 'Done.' },
    ]);
    const { halter } = await world({ mode: 'yolo', modelProvider: provider });
    const session = await openedSession(halter);
    await say(session, 'Start the server.');
    await session.close();
    expect(JSON.stringify(provider.requests.at(-1)?.messages)).toMatch(
      /Started job_1.*no other command, no browser and no person reaches a port.*--allow-network/,
    );
  });

  inSandbox('ends what a command left running, and says so', async () => {
    const { bash, folder } = await world({ mode: 'yolo' });
    const { data } = await bash('(sleep 1; echo late > late.txt) & echo started');
    expect(data).toMatch(/^\[What it started in the background.*background: true.*\]\nstarted\n$/);
    expect((await bash('sleep 1.5; ls late.txt')).success).toBe(false);
    expect(existsSync(path.join(folder, 'late.txt'))).toBe(false);
  });

  inSandbox('takes back what others run by themselves, there or not, and says so', async () => {
    verifies('S19');
    const { bash, folder } = await world({ mode: 'yolo' });
    writeFileSync(path.join(folder, '.npmrc'), 'mine\n');
    for (const name of ['.npmrc', '.envrc/x', '.halter/config.json', '.git/hooks/pre-commit', '.vscode/tasks.json']) {
      const result = await bash(`mkdir -p "$(dirname ${name})"; echo x > ${name}; echo kept > fine`);
      expect([name, result.success]).toEqual([name, false]);
      expect(result.error_message).toContain(`Taken back, since it decides what runs later`);
      expect(result.data).not.toContain('Taken back');
    }
    expect(readFileSync(path.join(folder, '.npmrc'), 'utf8')).toBe('mine\n');
    expect(readdirSync(folder).sort()).toEqual(['.git', '.npmrc', 'fine']);
    expect(readdirSync(path.join(folder, '.git'), { recursive: true })).toEqual(['hooks']);
    expect((await bash('echo x > a.txt && cat a.txt')).data).toBe('x\n');
  });
});

it('a failure is explained by the sandbox only where it may be the cause', () => {
  const note = (output: string, sandbox?: { network: boolean }): string =>
    sandboxNote(sandbox ? { output, sandbox } : { output });
  expect(note('curl: (6) Could not resolve host: x', { network: false })).toContain('no network');
  expect(note('curl: (6) Could not resolve host: x', { network: true })).toBe('');
  expect(note("touch: cannot touch '/x': Read-only file system", { network: true })).toContain('/tmp are writable');
  expect(note('1 test failed', { network: false })).toBe('');
  expect(note("touch: cannot touch '/x': Read-only file system")).toBe('');
});

it.each([
  ['npm install left-pad', 'npm error code EAI_AGAIN', ['registry.npmjs.org']],
  [
    'pip install x',
    'Failed to establish a new connection: Name or service not known',
    ['pypi.org', 'files.pythonhosted.org'],
  ],
  ['cd a && timeout 9 cargo build', 'failed to download', ['index.crates.io', 'static.crates.io']],
  ['go get example.org/x', 'dial tcp: lookup proxy.golang.org: no such host', ['proxy.golang.org', 'sum.golang.org']],
  ['git clone https://me@github.com/a/b', 'Could not resolve host: github.com', ['github.com']],
  ['git fetch', 'fatal: unable to access: Could not resolve host: git.example.org', ['git.example.org']],
  ['node get.js', 'Error: getaddrinfo ENOTFOUND api.example.org', ['api.example.org']],
  ['curl -s http://10.0.0.1/x', '', []],
])('a command that lacks the network says which hosts would let it pass: %s', (command, output, hosts) => {
  const said = sandboxNote({ output, sandbox: { network: false } }, command);
  expect(said).toContain('--allow-network');
  expect([...said.matchAll(/--allow-host (\S+?),? /g)].map(([, host]) => host)).toEqual(hosts);
});

const OFFLINE = { network: false };
it.each([
  ['curl -s https://x.test', '', 6],
  ['curl -s http://127.0.0.1:3000 | head -5', '', 0],
  [`curl -s -o /dev/null -w '%{http_code}' http://localhost:3000; echo`, '000\n', 0],
  ['sleep 1 && timeout 5 wget -q -O - http://x.test', '', 4],
  ['for i in 1 2; do curl -sf http://localhost:3000 && break; done', '', 7],
  ['A=1 /usr/bin/curl -s localhost', '', 7],
  ['python3 get.py', 'urlopen error [Errno 111] Connection refused', 1],
  // Behind a pipe or another command the exit code is not that of the program that failed.
  ['npm install 2>&1 | tail -5', 'npm error code EAI_AGAIN\nnpm error syscall getaddrinfo', 0],
  ['npm install | tail', 'npm error network request failed, reason: getaddrinfo ENOTFOUND registry.npmjs.org', 0],
  ['pip install requests 2>&1 | tail -3; ls', 'Temporary failure in name resolution', 0],
  ['apt-get update || true', "Temporary failure resolving 'deb.debian.org'", 0],
  ['uv sync 2>&1 | tee log', 'dns error: failed to lookup address information', 0],
  ['gem install x\necho done', 'SocketError: Failed to open TCP connection to rubygems.org:443', 0],
  ['cd app && git pull 2>&1 | head', "fatal: unable to access 'https://x.test/': Could not resolve host: x.test", 0],
])('a command that only the network could answer says that there is none: %s', (command, output, exitCode) => {
  const said = (sandbox: { network: boolean }): string =>
    exitCode === 0
      ? silentNetworkNote({ output, exitCode, sandbox }, command)
      : sandboxNote({ output, sandbox }, command);
  expect(said(OFFLINE)).toContain('no server on this machine is reached but one that the same command starts');
  expect(said(OFFLINE)).toContain('--allow-network');
  expect(said({ network: true })).toBe('');
});

it.each([
  ['grep curl README.md', ''],
  ['echo curl', 'curl'],
  ['node server.js & sleep 1; curl -s localhost:3000', '{"ok":true}'],
  ['npm test', ''],
  ['npm test', 'ok 1 - tells of ENOTFOUND'],
  ['npm test | tail', 'ok 1 - tells of a refused connection: ECONNREFUSED'],
  ['grep -rn ENOTFOUND src | head', 'src/a.ts: ENOTFOUND'],
  ["echo 'a | b' && cat log", 'getaddrinfo EAI_AGAIN'],
  ['sed -n 1,5p log; tail log', 'Could not resolve host: x'],
])('and others do not: %s', (command, output) => {
  expect(silentNetworkNote({ output, exitCode: 0, sandbox: OFFLINE }, command)).toBe('');
});

it('flags count without a sandbox, and never in silence', () => {
  const report = { kind: 'none', confined: false, network: true, text: 'unsandboxed', reason: 'none here' } as const;
  const rule = { tool: 'bash', pattern: 'ls *', source: 'command line' as const };
  const warn = (options: object, rules = [rule]): number =>
    sandboxWarnings({ mode: 'ask', ...options }, report, rules).length;
  expect([warn({}), warn({}, []), warn({ mode: 'yolo' }, []), warn({ sandbox: true }, [])]).toEqual([1, 0, 1, 1]);
  expect(sandboxWarnings({ mode: 'yolo' }, { ...report, confined: true }, [])).toEqual([]);
});

it.each([
  ['python3 -m http.server 8124 &', true],
  ['nohup npm run dev >/dev/null 2>&1 & sleep 1; echo started', true],
  ['(cd web && npm start) & echo ok', true],
  ['npm test && npm run build', false],
  ['npm test 2>&1 | tail', false],
  ['make &>log', false],
  ['make |& tail', false],
  ['server & sleep 1; curl -s localhost:1; kill %1', false],
  ['one & two & wait', false],
  ['git commit -m "salt & pepper"', false],
  ["curl 'http://127.0.0.1/?a=1&b=2'", false],
  ['ls # this & that', false],
  ['echo a \\& b', false],
])('of what is left in the background: %s: %s', (command, isTold) => {
  expect(leftBehindNote({ exitCode: 0, sandbox: OFFLINE }, command) !== '').toBe(isTold);
  expect(leftBehindNote({ exitCode: 1, sandbox: OFFLINE }, command)).toBe('');
  expect(leftBehindNote({ exitCode: 0 }, command)).toBe('');
});
