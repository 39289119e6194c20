import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { programFile } from '../../scripts/built-programs.ts';
import { verifies } from '../../tests/requirements.ts';
import { isAlive } from '../../tests/support/is-alive.ts';
import type { ProcessRequest, ProcessResult } from '../core/ports.ts';
import { type ClosableProcesses, createProcesses } from './processes.ts';

let root: string;
const ports: ClosableProcesses[] = [];
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'halter-processes-'));
});
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const open = (environment: Record<string, string> = { PATH: process.env['PATH'] ?? '' }): ClosableProcesses => {
  const port = createProcesses({ root, environment, registerExit: () => {} });
  ports.push(port);
  return port;
};
const request = (command: string, more: Partial<ProcessRequest> = {}): ProcessRequest => ({
  command: ['/bin/bash', '-c', command],
  timeoutMs: 20_000,
  signal: new AbortController().signal,
  maxOutputBytes: 30_000,
  ...more,
});
const run = async (command: string, more: Partial<ProcessRequest> = {}, port = open()): Promise<ProcessResult> => {
  const outcome = await port.run(request(command, more));
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.value;
};
/** Waits for a fact; the test's own timeout is the only clock. */
const until = async (fact: () => boolean): Promise<void> => {
  while (!fact()) await new Promise((next) => setTimeout(next, 5));
};
const pidIn = async (name: string): Promise<number> => {
  const read = (): string => {
    try {
      return readFileSync(join(root, name), 'utf8');
    } catch {
      return '';
    }
  };
  await until(() => read().endsWith('\n'));
  return Number(read());
};

describe('what comes back', () => {
  it('keeps stdout and stderr apart and together, with the exit code', async () => {
    verifies('L1');
    const result = await run('echo out; echo err >&2; exit 3');
    expect(result).toMatchObject({ exitCode: 3, signal: null, stdout: 'out\n', stderr: 'err\n' });
    expect(result.output.split('\n').sort()).toEqual(['', 'err', 'out']);
  });

  it('hands on output while the command runs', async () => {
    verifies('L1');
    const seen: string[] = [];
    let release = (): void => {};
    const first = new Promise<void>((resolve) => {
      release = resolve;
    });
    const running = run('echo one; until [ -e go ]; do sleep 0.01; done; echo two; rm go', {
      onOutput: (text, stream) => {
        seen.push(`${stream}:${text}`);
        release();
      },
    });
    await first;
    expect(seen).toEqual(['stdout:one\n']);
    writeFileSync(join(root, 'go'), '');
    await running;
    expect(seen.join('')).toBe('stdout:one\nstdout:two\n');
  });

  it('joins a character that came in two pieces, and shows bytes that are none as U+FFFD', async () => {
    verifies('L1');
    const result = await run(String.raw`printf '\xe2'; sleep 0.05; printf '\x9c\x93 foo\xc3(bar'`);
    expect(result.stdout).toBe('✓ foo\ufffd(bar');
  });

  it('leaves out the middle of a flood and says how much', async () => {
    verifies('L1');
    const before = process.memoryUsage().rss;
    const result = await run('echo first; yes x | head -c 10000000; echo last', { maxOutputBytes: 1_000 });
    expect(result.output).toMatch(/^first\n/);
    expect(result.output).toMatch(/last\n$/);
    expect(result.truncated).toBe('9,999,011 of 10,000,011 bytes of output were left out in the middle');
    expect(Buffer.byteLength(result.output)).toBeLessThan(1_200);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });

  it('tells a signal from an exit code', async () => {
    verifies('L1');
    expect(await run('kill -SEGV $$')).toMatchObject({ exitCode: null, signal: 'SIGSEGV', timedOut: false });
  });

  it('gives a program its standard input, and /dev/null where there is none', async () => {
    verifies('L1');
    expect((await run('cat; readlink /proc/self/fd/0')).stdout).toBe('/dev/null\n');
    expect((await run('cat', { stdin: 'hello' })).stdout).toBe('hello');
    expect((await run('exit 0', { stdin: 'x'.repeat(1_000_000) })).exitCode).toBe(0);
  });
});

describe('what ends', () => {
  it('ends the whole group on timeout, also what ignores TERM', async () => {
    verifies('L1');
    const result = await run("trap '' TERM; (trap '' TERM; echo $BASHPID > inner; sleep 100; sleep 100)", {
      timeoutMs: 1_000,
    });
    expect(result).toMatchObject({ timedOut: true, cancelled: false });
    const inner = await pidIn('inner');
    await until(() => !isAlive(inner));
  });

  it('ends on cancel, and says so', async () => {
    verifies('L1', 'E11');
    const controller = new AbortController();
    const running = run('echo $$ > cancelled; sleep 100', { signal: controller.signal });
    const shell = await pidIn('cancelled');
    controller.abort();
    expect(await running).toMatchObject({ cancelled: true, timedOut: false });
    expect(isAlive(shell)).toBe(false);
  });

  it('starts nothing once it was cancelled', async () => {
    const result = await run('touch never', { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ cancelled: true, exitCode: null });
    expect(() => readFileSync(join(root, 'never'))).toThrow();
  });

  it.skipIf(process.platform !== 'linux')(
    'finds what left the group with setsid, with an empty environment too',
    async () => {
      verifies('L1');
      const controller = new AbortController();
      const running = run(
        'setsid bash -c "echo \\$\\$ > marked; sleep 100; :" & env -i setsid bash -c "echo \\$\\$ > bare; sleep 100; :" & (setsid bash -c "echo \\$\\$ > orphan; sleep 100; :" &) ; wait',
        { signal: controller.signal },
      );
      const left = [await pidIn('marked'), await pidIn('bare'), await pidIn('orphan')];
      controller.abort();
      await running;
      await until(() => !left.some(isAlive));
    },
  );

  it('does not wait for a daemon that holds the pipe, lets it live, and ends it with the port', async () => {
    verifies('L1');
    const port = open();
    const result = await run(
      '(echo $BASHPID > daemon; while :; do echo tick; sleep 0.02; done) & echo started',
      {},
      port,
    );
    expect(result).toMatchObject({ exitCode: 0, timedOut: false });
    expect(result.stdout).toMatch(/started/);
    const daemon = await pidIn('daemon');
    expect(isAlive(daemon)).toBe(true);
    port.close();
    await until(() => !isAlive(daemon));
    // The guard that is on its way out must not take what starts afterwards for one of its own.
    expect(await run('sleep 0.7', {}, port)).toMatchObject({ exitCode: 0, signal: null });
  });

  it.skipIf(process.platform !== 'linux').each(['SIGKILL', 'SIGTERM', 'SIGHUP'] as const)(
    'leaves no child behind when halter itself gets %s',
    async (signal) => {
      verifies('L1');
      const script = `
        import { createProcesses } from ${JSON.stringify(programFile(new URL('./processes.ts', import.meta.url)))};
        const port = createProcesses({ root: ${JSON.stringify(root)} });
        const run = (command) => port.run({ command: ['/bin/bash', '-c', command], timeoutMs: 0,
          signal: new AbortController().signal, maxOutputBytes: 1000 });
        run('echo $$ > ${signal}-group; sleep 100; :');
        run('setsid bash -c "echo \\\\$\\\\$ > ${signal}-session; trap : TERM; sleep 100; sleep 100" & wait');
        run('exec env -i bash -c "echo \\\\$\\\\$ > ${signal}-bare; sleep 100; :"');
        await run('(echo $BASHPID > ${signal}-daemon; sleep 100; :) & :');
      `;
      const halter = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const children = await Promise.all(
        ['group', 'session', 'bare', 'daemon'].map((name) => pidIn(`${signal}-${name}`)),
      );
      expect(children.map(isAlive)).toEqual([true, true, true, true]);
      halter.kill(signal);
      await until(() => !children.some(isAlive));
    },
  );
});

describe('what a child gets to see', () => {
  it('hides the keys and is set for use with nobody there', async () => {
    verifies('L1', 'S25');
    const result = await run(
      'env',
      { env: { EXTRA: 'yes' } },
      open({
        PATH: process.env['PATH'] ?? '',
        OPENAI_API_KEY: 'sk-SECRET',
        GITHUB_TOKEN: 'ghp_x',
        AWS_REGION: 'here',
        PGPASSWORD: 'hunter2',
        DATABASE: 'postgres://me:hunter2@localhost/db',
        PLAIN: 'ghp_abcdefghijklmnopqrstuvwxyz',
        TOKENIZERS_PARALLELISM: 'false',
        CI: 'true',
        TERM: 'xterm',
      }),
    );
    expect(result.stdout).not.toMatch(/SECRET|ghp_|AWS_|hunter2/);
    for (const line of ['PATH=', 'TOKENIZERS_PARALLELISM=false', 'CI=true', 'TERM=dumb', 'PAGER=cat', 'EXTRA=yes']) {
      expect(result.stdout).toContain(line);
    }
    expect(result.stdout).toContain('GIT_TERMINAL_PROMPT=0');
  });

  it('starts in the workspace or a folder of it, and nowhere else', async () => {
    verifies('H10');
    mkdirSync(join(root, 'sub'), { recursive: true });
    symlinkSync(tmpdir(), join(root, 'way-out'));
    expect((await run('pwd', { cwd: 'sub' })).stdout).toMatch(/sub\n$/);
    for (const cwd of ['..', '/', 'way-out', 'sub/../..']) {
      const outcome = await open().run(request('true', { cwd }));
      expect(outcome).toMatchObject({ ok: false, error: { error_type: 'validation_failed' } });
    }
  });

  it('never takes a program from the workspace or a relative folder of PATH', async () => {
    verifies('L1');
    mkdirSync(join(root, 'bin'), { recursive: true });
    writeFileSync(join(root, 'bin', 'halter-test-program'), '#!/bin/sh\necho hijacked\n', { mode: 0o755 });
    for (const path of ['./bin', '.', join(root, 'bin')]) {
      const outcome = await open({ PATH: path }).run(request('', { command: ['halter-test-program'] }));
      expect(outcome).toMatchObject({ ok: false, error: { error_type: 'not_found' } });
    }
  });
});

describe('what cannot start', () => {
  it('says in a sentence what is wrong', async () => {
    verifies('L1');
    writeFileSync(join(root, 'plain.txt'), 'no program', { mode: 0o644 });
    const failures: [string[], string][] = [
      [
        ['halter-no-such-program'],
        'not_found: The program halter-no-such-program was not found; is it installed and in PATH?',
      ],
      [['./plain.txt'], 'io_error: The program ./plain.txt may not be run (EACCES): it is not executable'],
      [
        ['/bin/echo', 'a\0b'],
        'validation_failed: /bin/echo could not be started: the command holds a NUL character (ERR_INVALID_ARG_VALUE)',
      ],
      [
        ['/bin/echo', 'x'.repeat(5_000_000)],
        'io_error: /bin/echo could not be started: the command is longer than the system takes (E2BIG)',
      ],
      [[], 'validation_failed: No command was given'],
    ];
    for (const [command, message] of failures) {
      const outcome = await open().run(request('', { command }));
      expect(outcome.ok ? '' : `${outcome.error.error_type}: ${outcome.error.message}`).toBe(message);
    }
  });
});
