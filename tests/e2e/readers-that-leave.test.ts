/** A reader that has enough (`halter … | head -1`) is no failure: no trace, a code for scripts, and the session is kept. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ScriptedServerOptions, startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { cleanEnvironment, runHalter } from '../support/halter-process.ts';
import { everyNth } from '../support/long.ts';
import { MAIN } from '../support/program.ts';
import { scratchFolder } from '../support/scratch.ts';

const hasBash = ((): boolean => {
  try {
    return execFileSync('bash', ['-c', 'echo yes'], { encoding: 'utf8' }) === 'yes\n';
  } catch {
    return false;
  }
})();

/** More than a pipe holds, so that the reader leaves in its middle. */
const LONG_ANSWER = `first\n${Array.from({ length: 8000 }, (_, index) => `line ${index} of the answer`).join('\n')}`;
const ROUNDS = 8;

const FORMATS = ['text', 'json', 'stream-json'] as const;
const READERS = ['head -1', 'head -c 3', 'true'] as const;

/** What ended first of the pipe, and what it said on standard error. */
const piped = async (args: readonly string[], reader: string, home: string, isBoth = false) => {
  const line = `"$0" "$@" ${isBoth ? '2>&1' : ''} | ${reader} > /dev/null; echo "code \${PIPESTATUS[0]}"`;
  const ran = await runHalter(args, { home, command: ['bash', '-c', line, process.execPath, MAIN] });
  return { code: Number(/^code (\d+)$/m.exec(ran.out)?.[1]), err: ran.err };
};

const world = async (turns: ScriptedServerOptions['turns']) => {
  const server = await startScriptedServer({ turns });
  onTestFinished(() => server.close());
  return { server, home: scratchFolder(), flags: ['--provider', 'openai', '--base-url', server.openaiUrl] };
};

const LINES = ['sessions show kept', 'sessions export kept --format json', 'tools list', '--help all', 'policy list'];
const rows = FORMATS.flatMap((format) => READERS.map((reader) => ({ format, reader })));

describe.skipIf(!hasBash)('a reader that leaves', () => {
  it.each(everyNth(rows, 4))('run --format $format | $reader', async ({ format, reader }) => {
    verifies('B11', 'L6');
    const { home, flags } = await world(() => ({ text: LONG_ANSWER }));
    const args = ['run', 'hello', '--format', format, '--session', 'kept', ...flags];
    const { code, err } = await piped(args, reader, home);
    expect(err).not.toMatch(/EPIPE|defect|^ {4}at /m);
    // Of stream-json the lines are the run; of the others the answer was made, and how much of it is read is not ours.
    expect(format === 'stream-json' ? [0, 130] : [0]).toContain(code);
    const shown = await runHalter(['sessions', 'show', 'kept'], { home });
    expect(shown.out).toContain('hello');
    if (format !== 'stream-json') expect(shown.out).toContain('line 7999 of the answer');
  });

  it.each(everyNth(FORMATS, 2))('ends a run in %s whose standard error it reads as well', async (format) => {
    verifies('B11');
    const { server, home, flags } = await world((request) =>
      request.number < ROUNDS ? { calls: [{ name: 'get_current_time', arguments: {} }] } : { text: 'Late.' },
    );
    const args = ['run', 'hello', '--format', format, '--session', 'kept', '--allow', 'get_current_time', ...flags];
    const { code } = await piped(args, 'true', home, true);
    if (format !== 'json') expect({ code, asked: server.requests.length < ROUNDS }).toEqual({ code: 130, asked: true });
    expect((await runHalter(['sessions', 'show', 'kept'], { home })).out).toContain('hello');
  });

  it.each(everyNth(LINES, 2))('halter %s | head -1 ends with 0', async (line) => {
    verifies('B11');
    const { home, flags } = await world(() => ({ text: LONG_ANSWER }));
    await runHalter(['run', 'hello', '--session', 'kept', ...flags], { home });
    const { code, err } = await piped(line.split(' '), 'head -1', home);
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });
});

it('halter acp ends with 0 where the editor no longer reads, before its other pipe is closed', async () => {
  verifies('B11');
  const home = scratchFolder();
  const child = spawn(process.execPath, [MAIN, 'acp'], { cwd: home, env: cleanEnvironment(home) });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close');
  const hello = { jsonrpc: '2.0', method: 'initialize', params: { protocolVersion: 1 } };
  const ask = (id: number): unknown => child.stdin.write(`${JSON.stringify({ ...hello, id })}\n`);
  child.stdin.on('error', () => {});
  ask(1);
  await once(child.stdout, 'data');
  child.stdout.destroy();
  ask(2);
  expect(await ended).toEqual([0, null]);
});
