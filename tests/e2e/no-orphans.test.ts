/** After halter has ended, however it ended, nothing runs that it started: jobs, commands, MCP servers, and what left their groups. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { type Running, startHalter } from '../support/halter-process.ts';
import { isAlive } from '../support/is-alive.ts';
import { MAIN, REEXECUTE } from '../support/program.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';
import { reached } from '../support/serving.ts';

const until = async (fact: () => boolean): Promise<void> => {
  while (!fact()) await new Promise((resolve) => setTimeout(resolve, 10));
};

/** Each writes down who it is: in the group, out of it, without its parent, deaf to a hang-up, with nothing of our environment. */
const FAMILY = ['shell', 'sleeper', 'session', 'orphan', 'deaf', 'bare'];
const JOB = [
  'setsid sleep 300 & echo $! > session',
  "(setsid bash -c 'echo $$ > orphan; exec sleep 300' &)",
  'nohup sleep 300 > /dev/null 2>&1 & echo $! > deaf',
  "env -i /usr/bin/setsid /bin/bash -c 'echo $$ > bare; exec sleep 300' &",
  'sleep 300 & echo $! > sleeper; echo $$ > shell; wait',
].join('\n');

const SECOND = 'echo $$ > command; sleep 300; :';

/** An MCP server that leaves its group with a child, and does not end when its input does. */
const SERVER = `
const { spawn } = require('node:child_process');
const { writeFileSync } = require('node:fs');
const child = spawn('setsid', ['sleep', '300'], { stdio: 'ignore' });
writeFileSync('server', process.pid + '\\n');
writeFileSync('server-child', child.pid + '\\n');
setInterval(() => {}, 1e6);
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const serverInfo = { name: 's', version: '1' };
  const result = method === 'initialize' ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo }
    : { tools: [] };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
});`;

const end = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
};

const scene = async () => {
  const [cwd, home] = [scratchFolder(), scratchFolder()];
  const server = await startScriptedServer({
    turns: [
      { calls: [{ name: 'bash', arguments: { command: JOB, background: true } }] },
      { calls: [{ name: 'bash', arguments: { command: SECOND } }] },
      { text: 'never said' },
    ],
  });
  onTestFinished(() => server.close());
  const mcpServers = { s: { command: process.execPath, args: ['-e', SERVER] } };
  putFiles(home, { '.config/halter/mcp.json': JSON.stringify({ mcpServers }) });
  const flags = ['--provider', 'openai', '--base-url', server.openaiUrl, '--no-sandbox', '--allow', 'bash'];
  // What the job prints is content from outside, so the command after it is allowed by its own words.
  flags.push('--allow', `bash(=${SECOND})`);
  const files = [...FAMILY, 'command', 'server', 'server-child'].map((name) => join(cwd, name));
  const pidsIn = (known: readonly string[]): number[] => known.map((file) => Number(readFileSync(file, 'utf8')));
  // Where the test fails, they would run on beside those that follow.
  onTestFinished(() => {
    for (const pid of pidsIn(files.filter((file) => existsSync(file)))) if (pid > 1 && isAlive(pid)) end(pid);
  });
  /** All of them, running. */
  const family = async (): Promise<number[]> => {
    await until(() => files.every((file) => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n')));
    const pids = pidsIn(files);
    expect(pids.filter((pid) => !isAlive(pid))).toEqual([]);
    return pids;
  };
  return { cwd, home, flags, family };
};
const isGone = (pids: readonly number[]): Promise<void> => until(() => !pids.some(isAlive));

/** What a person would do in the web app. */
const talkTo = async (running: Running): Promise<void> => {
  const { call } = await reached(running);
  const { id } = (await (await call('POST', '/api/sessions', {})).json()) as { id: string };
  await call('POST', `/api/sessions/${id}/commands`, { type: 'send_message', content: 'start it' });
};

describe.skipIf(process.platform !== 'linux')('nothing is left', () => {
  it.each(['SIGKILL', 'SIGTERM', 'SIGHUP'] as const)('after %s of a run', async (signal) => {
    verifies('L1', 'U1', 'B10', 'S9');
    const { cwd, home, flags, family } = await scene();
    const halter = startHalter(['run', 'start it', ...flags], { cwd, home });
    const pids = await family();
    halter.child.kill(signal);
    await halter.finished;
    await isGone(pids);
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)('after %s of the server', async (signal) => {
    verifies('L1', 'U1', 'B10', 'S9');
    const { cwd, home, flags, family } = await scene();
    const halter = startHalter(['serve', '--port', '0', ...flags], { cwd, home });
    await talkTo(halter);
    const pids = await family();
    halter.child.kill(signal);
    await halter.finished;
    await isGone(pids);
  });

  it('after KILL of the old Node that started the right one', async () => {
    verifies('L1', 'U1');
    const { cwd, home, flags, family } = await scene();
    const again = `process.argv[1] = ${JSON.stringify(MAIN)}; (await import(${JSON.stringify(REEXECUTE)})).main();`;
    const command = [process.execPath, '--input-type=module', '-e', again, '--', 'halter'];
    const halter = startHalter(['run', 'start it', ...flags], { cwd, home, command });
    const pids = await family();
    halter.child.kill('SIGKILL');
    await isGone(pids);
  });

  it('after KILL of the old Node before the right one has loaded the program', async () => {
    verifies('L1', 'U1');
    const { cwd, home, flags } = await scene();
    const late = "data:text/javascript,await new Promise((gone) => process.once('disconnect', gone))";
    const argv = JSON.stringify(['--import', late, MAIN, 'serve', '--port', '0', ...flags]);
    const again = `
      const { spawn } = require('node:child_process');
      const env = { ...process.env, HALTER_REEXECUTED: '1' };
      spawn(process.execPath, ${argv}, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env });
      process.kill(process.pid, 'SIGKILL');`;
    // What is read of it ends when the last process that could write has ended.
    const halter = startHalter([], { cwd, home, command: [process.execPath, '-e', again] });
    expect((await halter.finished).signal).toBe('SIGKILL');
  });
});
