/** Sockets of other programs in places that a command sees. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { inSandboxWorld } from '../../tests/support/sandbox-world.ts';
import { putFiles, scratchFolder } from '../../tests/support/scratch.ts';
import { createProcesses } from '../io/processes.ts';
import { openConfinement } from './confine.ts';
import { detectSandbox } from './index.ts';
import { SANDBOX_LIMITS } from './limits.ts';
import { boundSockets } from './sockets.ts';

const LISTEN =
  'process.chdir(process.argv[1]);require("net").createServer((c)=>c.end()).listen(process.argv[2],()=>console.log("up"))';
const CONNECT =
  'require("net").connect(process.argv[1]).on("connect",()=>{console.log("CONNECTED");process.exit()}).on("error",(e)=>console.log(e.code))';

/** A program that listens; resolves when it does, with what it said. */
const listening = async (...command: string[]): Promise<string> => {
  const child: ChildProcess = spawn(command[0] ?? '', command.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return new Promise((done) => {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (text: Buffer) => done(text.toString('utf8')));
    child.on('error', (error) => done(error.message));
  });
};

/** Not below /tmp, which a command does not see. */
const openWorld = async () => {
  const base = mkdtempSync(path.resolve('node_modules', '.sockets-'));
  const [root, home] = ['ws', 'home'].map((name) => path.join(base, name)) as [string, string];
  for (const folder of [root, home]) mkdirSync(folder);
  const environment = { HOME: home, PATH: process.env['PATH'] };
  const paths = { config: `${home}/c`, data: `${home}/d`, cache: `${home}/e` };
  const confinement = await openConfinement({ root, addDirs: [], paths, environment, network: false });
  let beforeStart = (): void => {};
  const processes = createProcesses({
    root,
    environment,
    registerExit: () => {},
    confine: async (...request) => {
      const confined = await confinement.confine?.(...request);
      beforeStart();
      return confined;
    },
  });
  onTestFinished(() => {
    processes.close();
    confinement.close();
    rmSync(base, { recursive: true, force: true });
  });
  const connect = async (file: string, before = (): void => {}): Promise<string> => {
    beforeStart = before;
    const command = [process.execPath, '-e', CONNECT, file];
    const signal = new AbortController().signal;
    const ran = await processes.run({ command, confined: true, timeoutMs: 60_000, signal, maxOutputBytes: 10_000 });
    return ran.ok ? ran.value.output.trim() : ran.error.message;
  };
  return { base, root, home, connect };
};

describe('a socket of another program', () => {
  const node = process.execPath;
  const CASES: readonly (readonly [what: string, name: string, command: (folder: string) => string[]])[] = [
    ['by its whole name', 'a.sock', (folder) => [node, '-e', LISTEN, folder, path.join(folder, 'a.sock')]],
    ['by a name that is relative', 'b.sock', (folder) => [node, '-e', LISTEN, folder, 'b.sock']],
    [
      'in another network',
      'c.sock',
      (folder) => ['unshare', '-rn', node, '-e', LISTEN, folder, path.join(folder, 'c.sock')],
    ],
    ['where keys are kept', '.gnupg/d.sock', (folder) => [node, '-e', LISTEN, folder, '.gnupg/d.sock']],
  ];
  it.for(CASES)('is out of reach: %s', { timeout: 60_000 }, async ([, name, command], context) => {
    verifies('S41');
    if ((await detectSandbox()).kind !== 'bubblewrap') return context.skip('bubblewrap does not work here');
    const { home, connect } = await openWorld();
    mkdirSync(path.join(home, '.gnupg'));
    if ((await listening(...command(home))) !== 'up\n') return context.skip('the other program could not be started');
    expect(await connect(path.join(home, name))).toMatch(/^E(?:CONNREFUSED|NOENT|ACCES|NOTSOCK)$/);
  });

  it('that goes away as a command starts keeps it from nothing', { timeout: 60_000 }, async (context) => {
    verifies('S41');
    if ((await detectSandbox()).kind !== 'bubblewrap') return context.skip('bubblewrap does not work here');
    const { home, connect } = await openWorld();
    const file = path.join(home, 'brief.sock');
    const server = createServer();
    await new Promise<void>((done) => server.listen(file, done));
    onTestFinished(() => void server.close());
    expect(await connect(file, () => rmSync(file))).toBe('ENOENT');
    expect(existsSync(file)).toBe(false);
  });
});

describe('a socket that is bound while a command runs', () => {
  const node = process.execPath;

  inSandboxWorld('is out of its reach in a folder with a layer', async (world) => {
    verifies('S41');
    const file = path.join(world.root, 'later.sock');
    const line = `$WAIT; until [ -S ${file} ]; do sleep 0.02; done; ${node} -e '${CONNECT}' ${file}`;
    const server = createServer();
    onTestFinished(() => void server.close());
    const { output } = await world.runAround(line, () => void server.listen(file));
    expect(output).toContain('ECONNREFUSED');
  });

  inSandboxWorld('by itself is not to be seen outside, by a path or as a port', async (world) => {
    verifies('S39');
    const file = path.join(world.root, 'own.sock');
    let output = '';
    const serve = `const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log("PORT",s.address().port);require("net").createServer().listen("${file}",()=>console.log("UP"))})`;
    const job = await world.processes.open({
      command: [node, '-e', serve],
      confined: true,
      onOutput: (text) => {
        output += text;
      },
    });
    if (!job.ok) throw new Error(job.error.message);
    await expect.poll(() => output, { timeout: 20_000 }).toContain('UP');
    const port = /PORT (\d+)/.exec(output)?.[1];
    expect(world.outside(`${node} -e '${CONNECT}' ${port}`)).toContain('ECONNREFUSED');
    await job.value.stop();
    expect(existsSync(file)).toBe(false);
  });
});

describe('the list of sockets', () => {
  const line = (inode: number, name: string): string =>
    `0000000000000000: 00000002 00000000 00010000 0001 01 ${inode} ${name}`;
  const procOf = (lines: readonly string[]): string => {
    const proc = scratchFolder();
    putFiles(proc, { 'self/net/unix': `Num RefCount\n${lines.join('\n')}\n` });
    return proc;
  };

  it('is not whole where one cannot be named, and no command may make such sockets then', () => {
    verifies('S41');
    const proc = procOf([line(1, 'relative.sock')]);
    expect(boundSockets(() => false, linked(proc))).toEqual({ files: [], isWhole: false });
  });

  it('counts those only that a command would see', async () => {
    verifies('S41');
    const many = Array.from({ length: SANDBOX_LIMITS.sockets + 5 }, (_, index) => line(index, `/run/user/${index}`));
    const proc = procOf([...many, line(9_000, '@abstract')]);
    expect(boundSockets(() => false, linked(proc))).toEqual({ files: [], isWhole: true });
  });
});

/** Of a made-up list: its network is a link to nothing. */
const linked = (proc: string): string => {
  mkdirSync(path.join(proc, 'self/ns'));
  symlinkSync('net:[1]', path.join(proc, 'self/ns/net'));
  return proc;
};
