import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { isAlive } from '../../../tests/support/is-alive.ts';
import type { OpenProcess, OpenProcessRequest } from '../../core/ports.ts';
import { type ClosableProcesses, createProcesses } from '../processes.ts';

let folder: string;
let port: ClosableProcesses;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'halter-open-'));
  port = createProcesses({ root: folder, environment: { PATH: process.env['PATH'], OPENAI_API_KEY: 'sk-SECRET' } });
});
afterEach(async () => {
  port.close();
  await rm(folder, { recursive: true, force: true });
});

const open = async (script: string, more: Partial<OpenProcessRequest> = {}) => {
  let text = '';
  const waiting = new Set<() => void>();
  const opened = await port.open({
    command: ['/bin/sh', '-c', script],
    onOutput: (piece) => {
      text += piece;
      for (const check of waiting) check();
    },
    ...more,
  });
  if (!opened.ok) throw new Error(opened.error.message);
  const said = (wanted: string): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (text.includes(wanted)) resolve();
      };
      waiting.add(check);
      check();
    });
  return { process: opened.value, said, text: () => text };
};
const KINDS: readonly [string, Partial<OpenProcessRequest>][] = [
  ['pipes', {}],
  ['a terminal', { terminal: { columns: 80, rows: 24 } }],
];

describe.each(KINDS)('a process at %s', (kind, more) => {
  test('is spoken to while it runs, and says how it ended', async () => {
    verifies('U1');
    const { process, said, text } = await open('read line; echo "got $line"; test -t 0 && echo tty; exit 3', more);
    expect(process.write('hello\n')).toBe(true);
    await said('got hello');
    expect(await process.ended).toMatchObject({ exitCode: 3 });
    expect(text().includes('tty')).toBe(kind === 'a terminal');
    expect(process.terminal).toBe(kind === 'a terminal');
    expect(process.write('more\n')).toBe(false);
  });

  test('ends with everything it started, also what left its group', async () => {
    const { process, said } = await open('setsid sleep 300 & echo $! > pid; sleep 300 & echo ready; wait', more);
    await said('ready');
    const grandchild = Number(await readFile(join(folder, 'pid'), 'utf8'));
    await process.stop();
    expect(isAlive(process.pid)).toBe(false);
    expect(isAlive(grandchild)).toBe(false);
  });

  test('ends with the port', async () => {
    const { process, said } = await open('echo ready; sleep 300', more);
    await said('ready');
    port.close();
    await process.ended;
    expect(isAlive(process.pid)).toBe(false);
  });

  test('sees none of the keys', async () => {
    const { process, text } = await open('env', more);
    await process.ended;
    expect(text()).toContain('PATH=');
    expect(text()).not.toContain('sk-SECRET');
  });
});

test('a program that is not there is a value', async () => {
  const opened = await port.open({ command: ['no-such-program'], onOutput() {} });
  expect(opened).toMatchObject({ ok: false, error: { error_type: 'not_found' } });
});

test('a process that stops reading is written to without harm', async () => {
  const { process }: { process: OpenProcess } = await open('exec <&-; sleep 300');
  for (let index = 0; index < 50; index += 1) process.write('x'.repeat(10_000));
  await process.stop();
  expect(isAlive(process.pid)).toBe(false);
});
