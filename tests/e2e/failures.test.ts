/** What goes wrong outside halter: it is said with what to do, nothing is lost, nothing hangs, nothing is left running. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { detectSandbox } from '../../src/sandbox/index.ts';
import { type ScriptedServer, type ScriptedServerOptions, startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter, startHalter } from '../support/halter-process.ts';
import { everyNth } from '../support/long.ts';
import { MAIN } from '../support/program.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

const start = async (options: ScriptedServerOptions): Promise<ScriptedServer> => {
  const server = await startScriptedServer(options);
  onTestFinished(() => server.close());
  return server;
};
const openai = (server: ScriptedServer): string[] => ['--provider', 'openai', '--base-url', server.openaiUrl];
const calls = (name: string, args: Record<string, string>) => ({ calls: [{ name, arguments: args }] });

/** A port that was free a moment ago: nobody listens on it. */
const closedPort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

/** Every process whose environment or command line holds the mark. */
const processesWith = (mark: string): string[] =>
  fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(mark);
      } catch {
        return false;
      }
    });
const gone = async (mark: string): Promise<void> => {
  while (processesWith(mark).length > 0) await new Promise((next) => setTimeout(next, 20));
};

describe('a model that cannot be used', () => {
  it('is said with exit code 5 and what to do, when there is no server', async () => {
    verifies('B11');
    const url = `http://127.0.0.1:${await closedPort()}/v1`;
    const ran = await runHalter(['run', 'x', '--provider', 'openai', '--base-url', url, '-m', 'some-model']);
    expect(ran.code).toBe(5);
    expect(ran.out).toBe('');
    expect(ran.err).toContain(url);
  });

  it('ends a stream with an error and a turn_end all the same', async () => {
    const url = `http://127.0.0.1:${await closedPort()}`;
    const ran = await runHalter(['run', 'x', '--provider', 'ollama', '--base-url', url, '--format', 'stream-json']);
    expect(ran.code).toBe(5);
    expect(ran.lines().map(({ type }) => type)).toEqual(['error', 'turn_end']);
    expect(ran.lines().at(-1)).toMatchObject({ exit_reason: 'model_unusable' });
  });

  it('is named when the server does not know it', async () => {
    verifies('B11');
    const server = await start({ strictModels: true, models: [{ id: 'right-model' }], turns: [{ text: 'x' }] });
    const flags = ['--provider', 'ollama', '--base-url', server.url];
    const ran = await runHalter(['run', 'x', '-m', 'wrong-model', ...flags]);
    expect(ran.code).toBe(5);
    expect(ran.err).toContain('wrong-model');
  });

  it('is unusable when its server breaks off for good', async () => {
    const server = await start({ turns: () => ({ cutAtOnce: true }) });
    const ran = await runHalter(['run', 'x', '--format', 'json', ...openai(server)]);
    expect(ran.code).toBe(5);
    expect(ran.json()).toMatchObject({ exit_reason: 'model_unusable' });
  });
});

describe('files that are not what they should be', () => {
  const asked = async (name: string, prepare: (folder: string) => void) => {
    const folder = scratchFolder();
    prepare(folder);
    const server = await start({ turns: [calls('read_file', { path: name }), { text: 'I could not read it.' }] });
    const ran = await runHalter(['run', 'Read it', '--allow', 'read_file', '--format', 'json', ...openai(server)], {
      cwd: folder,
    });
    expect(ran.code).toBe(0);
    const [call] = ran.json()['tool_calls'] as { result: { error_type: string; error_message: string } }[];
    return call?.result;
  };

  it('are refused by read_file with the word for it, and nothing hangs', async () => {
    verifies('Z2', 'Z6');
    const fifo = await asked('pipe', (folder) => execFileSync('mkfifo', [path.join(folder, 'pipe')]));
    expect(fifo?.error_type).toBe('validation_failed');
    const large = await asked('large', (folder) => {
      const file = fs.openSync(path.join(folder, 'large'), 'w');
      fs.ftruncateSync(file, 2 * 1024 ** 3);
      fs.closeSync(file);
    });
    expect(large?.error_type).toBe('validation_failed');
    const binary = await asked('data', (folder) => putFiles(folder, { data: new Uint8Array([0, 1, 2, 255, 254]) }));
    expect(binary?.error_type).toBe('parse_error');
  });

  it('allow nothing where policies.json is damaged, and are kept', async () => {
    verifies('Z10', 'S30');
    const home = scratchFolder();
    putFiles(home, { '.config/halter/policies.json': '{"version": 1, "rules": [{"tool": "read_f' });
    const folder = scratchFolder();
    putFiles(folder, { 'a.txt': 'secret\n' });
    const server = await start({ turns: [calls('read_file', { path: 'a.txt' }), { text: 'x' }] });
    const ran = await runHalter(['run', 'Read', ...openai(server)], { cwd: folder, home });
    expect(ran.code).toBe(3);
    expect(ran.err).toContain('policies.json.bad-');
    const kept = fs.readdirSync(path.join(home, '.config/halter'));
    expect(kept.some((name) => name.startsWith('policies.json.bad-'))).toBe(true);
  });

  it('end the command where config.json is damaged, with its path', async () => {
    const home = scratchFolder();
    putFiles(home, { '.config/halter/config.json': '{"offline": tru' });
    const ran = await runHalter(['run', 'x'], { home });
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('config.json is not JSON');
  });

  it('are passed over with a warning where a line of a session is damaged', async () => {
    verifies('B5');
    const home = scratchFolder();
    const folder = scratchFolder();
    const server = await start({ turns: [{ text: 'first answer' }, { text: 'second answer' }] });
    await runHalter(['run', 'first question', '--session', 'work', ...openai(server)], { cwd: folder, home });
    const file = path.join(home, '.local/share/halter/sessions/work.jsonl');
    const lines = fs.readFileSync(file, 'utf8').split('\n');
    lines.splice(2, 0, '{"seq": 2, "type": "user_mess');
    fs.writeFileSync(file, lines.join('\n'));
    const ran = await runHalter(['run', 'second question', '--session', 'work', ...openai(server)], {
      cwd: folder,
      home,
    });
    expect(ran).toMatchObject({ code: 0, out: 'second answer\n' });
    expect(ran.err).toContain('work.jsonl');
    expect(server.requests[1]?.text).toContain('first answer');
  });
});

describe.skipIf(process.platform === 'win32')('a shell that allows too few open files', () => {
  it.each(everyNth([22, 24, 26, 28, 30, 34, 40], 3))(
    '(%i) gets a sentence, no stack trace, and no command without a sandbox',
    async (files) => {
      verifies('B11', 'S16');
      const outside = scratchFolder();
      const touch = `touch ${outside}/ran; echo hi`;
      const server = await start({ turns: [calls('bash', { command: touch }), { text: 'Said.' }] });
      const command = ['/bin/sh', '-c', `ulimit -n ${files}; exec "$0" "$@"`, process.execPath, MAIN];
      const ran = await runHalter(['run', 'x', '--allow', 'bash', ...openai(server)], { command });
      expect(ran.err).not.toMatch(/defect|^ {4}at /m);
      // 3: it asks, since the grammar of the shell could not be loaded.
      expect([0, 1, 3]).toContain(ran.code);
      if (ran.code === 1) expect(ran.err).toMatch(/^halter: .+/m);
      const isConfinable = (await detectSandbox()).kind === 'bubblewrap';
      if (isConfinable) expect(fs.readdirSync(outside)).toEqual([]);
    },
  );
});

describe('a run that is ended', () => {
  /** A model that calls a shell command which leaves a marked process running. */
  const busy = async () => {
    const mark = `3${Math.floor(performance.now() * 1000)}.7`;
    const folder = scratchFolder();
    const server = await start({
      turns: [calls('bash', { command: `sleep ${mark} & sleep ${mark}` }), { text: 'done' }],
    });
    const home = scratchFolder();
    const flags = ['--allow', 'bash', '--session', 'work', ...openai(server)];
    const run = (...args: string[]) => startHalter([...args, ...flags], { cwd: folder, home });
    const started = async (): Promise<void> => {
      while (processesWith(mark).length < 2) await new Promise((next) => setTimeout(next, 20));
    };
    return { mark, run, started, server };
  };

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('by %s is 130 and leaves no child', async (signal) => {
    verifies('L1', 'B11');
    const { mark, run, started } = await busy();
    const running = run('run', 'Sleep', '--format', 'stream-json');
    await started();
    running.child.kill(signal);
    const ran = await running.finished;
    expect(ran.code).toBe(130);
    expect(ran.lines().at(-1)).toMatchObject({ type: 'turn_end', exit_reason: 'interrupted' });
    await gone(mark);
  });

  it('by KILL leaves no child, and goes on with every call paired', async () => {
    verifies('B5', 'L1');
    const { mark, run, started, server } = await busy();
    const running = run('run', 'Sleep');
    await started();
    running.child.kill('SIGKILL');
    await running.finished;
    await gone(mark);

    const ran = await run('run', 'And now?').finished;
    expect(ran).toMatchObject({ code: 0, out: 'done\n' });
    const messages = server.requests[1]?.body['messages'] as { role: string; tool_calls?: { id: string }[] }[];
    const called = messages.flatMap((message) => message.tool_calls ?? []).map(({ id }) => id);
    const answered = messages
      .filter(({ role }) => role === 'tool')
      .map((message) => (message as { tool_call_id?: string }).tool_call_id);
    expect(called).toHaveLength(1);
    expect(answered).toEqual(called);
    // With a sandbox its changes lay in a layer, which is still there or not.
    expect(server.requests[1]?.text).toMatch(/what it changed in files was not applied|took effect cannot be known/);
  });

  it('by a full disk behind standard output is no success', async () => {
    const server = await start({ turns: [{ text: 'an answer' }] });
    const program = ['/bin/sh', '-c', 'exec "$0" "$@" > /dev/full', process.execPath, MAIN];
    const ran = await runHalter(['run', 'x', ...openai(server)], { command: program });
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('no space left');
  });

  it('by a reader that has enough is quiet', async () => {
    const server = await start({ turns: [{ text: 'x'.repeat(300_000) }] });
    const running = startHalter(['run', 'x', '--format', 'stream-json', ...openai(server)]);
    await running.said('session');
    running.child.stdout?.destroy();
    const ran = await running.finished;
    expect(ran.err).toBe('');
    expect(ran.signal).toBeNull();
  });
});

describe('a model that goes silent', () => {
  it('is given up after the time that the settings name, and what it had said is kept', async () => {
    verifies('B11');
    const home = scratchFolder();
    await runHalter(['config', 'set', 'silence_timeout_ms', '300'], { home });
    const server = await start({ turns: [{ text: 'Half an answer', hangAfterWrites: 3 }] });
    const ran = await runHalter(['run', 'hello', ...openai(server)], { home });
    expect(ran.code).toBe(5);
    expect(ran.out).toContain('Half');
    expect(ran.err).toContain('The model stopped in the middle of its answer');
  });
});
