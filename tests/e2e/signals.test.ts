/** A signal ends every command with the same exit code, whatever the signal is and whatever the command waits for. */
import fs from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { spawn } from '@lydell/node-pty';
import { describe, expect, it, onTestFinished } from 'vitest';
import { COMMANDS, TERMINAL_APP } from '../../src/cli/commands.ts';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { cleanEnvironment, OPEN, startHalter } from '../support/halter-process.ts';
import { everyNth } from '../support/long.ts';
import { MAIN } from '../support/program.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type Signal = (typeof SIGNALS)[number];
const INTERRUPTED = 130;

/** Takes requests and never answers; `asked` resolves at the first. */
const silentServer = async () => {
  let tell = (): void => {};
  const asked = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const server = createServer(() => tell());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/v1`, asked };
};

type Busy = { running: ReturnType<typeof startHalter>; isBusy: Promise<unknown> };
type Start = () => Promise<Busy>;

/** Waits for a server of models that is silent. */
const atModel =
  (...words: string[]): Start =>
  async () => {
    const server = await silentServer();
    const flags = ['--provider', 'openai', '--base-url', server.url, '-m', 'some-model'];
    return { running: startHalter([...words, ...flags]), isBusy: server.asked };
  };

/** More than a pipe holds: it is taken only where somebody reads. */
const MUCH = ' '.repeat(300_000);
/** Waits for the rest of its standard input. */
const atInput =
  (...words: string[]): Start =>
  async () => {
    const running = startHalter(words, { stdin: OPEN });
    return { running, isBusy: new Promise((resolve) => running.child.stdin?.write(MUCH, resolve)) };
  };

/** Waits for the next line of a protocol, after it has answered the first. */
const atProtocol =
  (name: string): Start =>
  async () => {
    const running = startHalter([name, '--offline'], { stdin: OPEN });
    const params = { protocolVersion: name === 'acp' ? 1 : '2025-06-18', capabilities: {}, clientInfo: CLIENT };
    running.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    return { running, isBusy: running.said('"result"') };
  };
const CLIENT = { name: 'test', version: '1' };

const atCommand: Start = async () => {
  const folder = scratchFolder();
  const args = ['tools', 'call', 'bash', JSON.stringify({ command: 'echo begun; sleep 600' }), '--allow', 'bash'];
  const running = startHalter([...args, '--no-sandbox'], { cwd: folder });
  const isBusy = expect.poll(() => children(running.child.pid ?? 0), { timeout: 20_000 }).toContain('sleep');
  return { running, isBusy };
};

/** The command lines of every process below this one. */
const children = (pid: number): string =>
  fs
    .readdirSync('/proc')
    .flatMap((name) => {
      try {
        const stat = fs.readFileSync(`/proc/${name}/stat`, 'latin1');
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        return parent === pid ? [fs.readFileSync(`/proc/${name}/cmdline`, 'latin1'), children(Number(name))] : [];
      } catch {
        return [];
      }
    })
    .join('\n');

/** A client that dies of the signal, or ends of it in its own way, as many do: 143 as a shell, 0 as if it were done. */
const atClient =
  (onSignal = ''): Start =>
  async () => {
    const server = await startScriptedServer({ turns: () => ({ text: 'Hi.' }), models: [{ id: 'm' }] });
    onTestFinished(() => server.close());
    const [bin, home] = [scratchFolder(), scratchFolder()];
    putFiles(bin, {
      pi: `#!/bin/sh\n${onSignal}\necho begun\n${onSignal === '' ? 'exec sleep 600' : 'while :; do sleep 0.1; done'}\n`,
    });
    fs.chmodSync(path.join(bin, 'pi'), 0o755);
    const env = { PATH: `${bin}:${cleanEnvironment(home)['PATH']}` };
    const flags = ['--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'm'];
    const running = startHalter(['launch', 'pi', ...flags], { env, home });
    return { running, isBusy: running.said('begun') };
  };

const ROWS: Readonly<Record<string, Start>> = {
  run: atModel('run', 'hello'),
  'run, json': atModel('run', 'hello', '--format', 'json'),
  'run, stream-json': atModel('run', 'hello', '--format', 'stream-json'),
  'run, its question on standard input': atInput('run'),
  'tools call': atCommand,
  'tools validate': atInput('tools', 'validate'),
  parse: atInput('parse'),
  render: atInput('render', '--dialect', 'hermes'),
  'models list': atModel('models', 'list'),
  'models probe': atModel('models', 'probe', 'some-model'),
  'models load': atModel('models', 'load', 'some-model'),
  'models unload': atModel('models', 'unload', 'some-model'),
  context: atModel('context'),
  doctor: atModel('doctor'),
  acp: atProtocol('acp'),
  mcp: atProtocol('mcp'),
  launch: atClient(),
  'launch, a client that ends with 143': atClient("trap 'exit 143' TERM INT HUP"),
  'launch, a client that ends with 0': atClient("trap 'exit 0' TERM INT HUP"),
  'launch, before the client': atModel('launch', 'pi'),
};

/** They are told to end in order, which is no failure of theirs; an interrupt is one. */
const SERVICES = ['serve', 'worker'];
/** They wait for nobody: what ends them is what ends every command from its first line on. */
const AT_ONCE = new Set([
  'sessions list',
  'sessions search',
  'sessions show',
  'sessions rename',
  'sessions fork',
  'sessions undo',
  'sessions export',
  'sessions import',
  'sessions delete',
  'replay',
  'policy list',
  'policy test',
  'policy explain',
  'config get',
  'config set',
  'config path',
  'connect',
  'mcp add',
  'mcp list',
  'mcp remove',
  'mcp logout',
  'mcp login',
  'mcp allow',
  'egress',
  'trust',
  'completion',
  'worker failed',
  'worker retry',
  'worker discard',
  'tools list',
  'conformance',
  'models advise',
  'models pull',
  'models rm',
  'index',
  'search',
]);

const endedBy = async (start: Start, signal: Signal) => {
  const { running, isBusy } = await start();
  await isBusy;
  running.child.kill(signal);
  const { code, signal: diedOf, err } = await running.finished;
  return { code, diedOf, hasTrace: /defect|^ {4}at /m.test(err) };
};

describe.skipIf(process.platform === 'win32')('a signal', () => {
  it('has a row for every command', () => {
    const named = new Set([...Object.keys(ROWS).map((row) => row.split(',')[0]), ...SERVICES, ...AT_ONCE]);
    expect(COMMANDS.map(({ name }) => name).filter((name) => !named.has(name))).toEqual([]);
    expect(TERMINAL_APP.name).toBe('');
  });

  const cases = Object.keys(ROWS).flatMap((row) => SIGNALS.map((signal) => [row, signal] as const));
  it.each(everyNth(cases, 7))('ends %s by %s with 130', async (row, signal) => {
    verifies('B11');
    expect(await endedBy(ROWS[row] as Start, signal)).toEqual({ code: INTERRUPTED, diedOf: null, hasTrace: false });
  });

  it.each(SIGNALS.map((signal) => [signal, signal === 'SIGINT' ? INTERRUPTED : 0] as const))(
    'ends a service by %s with %i',
    async (signal, code) => {
      verifies('B11');
      const running = startHalter(['serve', '--port', '0', '--offline', '--no-sandbox'], {});
      await running.said('?token=');
      running.child.kill(signal);
      expect(await running.finished).toMatchObject({ code, signal: null });
    },
  );

  it.each(SIGNALS)('ends the terminal app by %s with 130', async (signal) => {
    verifies('B11');
    const server = await startScriptedServer({ turns: () => ({ text: 'Hi.' }) });
    onTestFinished(() => server.close());
    const [home, cwd] = [scratchFolder(), scratchFolder()];
    const flags = ['--provider', 'openai', '--base-url', server.openaiUrl];
    const env = { ...cleanEnvironment(home), TERM: 'xterm-256color' };
    const app = spawn(process.execPath, [MAIN, ...flags], { cwd, env, cols: 80, rows: 24 });
    const ended = new Promise<{ exitCode: number }>((resolve) => app.onExit(resolve));
    onTestFinished(() => app.kill('SIGKILL'));
    let shown = '';
    await new Promise<void>((resolve) => {
      app.onData((text) => {
        shown += text;
        if (shown.includes('test-model')) resolve();
      });
    });
    process.kill(app.pid, signal);
    expect(await ended).toMatchObject({ exitCode: INTERRUPTED });
  });
});
