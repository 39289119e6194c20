import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { rounds } from '../../tests/support/long.ts';
import type { JsonObject } from '../core/json.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { Processes, ProcessResult } from '../core/ports.ts';
import type { ToolContext } from '../core/tool.ts';
import type { ToolOutput } from '../core/tool-result.ts';
import { type ClosableProcesses, createProcesses } from '../io/processes.ts';
import { bashTool } from './bash.ts';
import { readableOutput } from './output-text.ts';

let root: string;
let port: ClosableProcesses;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'halter-bash-'));
  port = createProcesses({ root, registerExit: () => {} });
});
afterEach(() => port.close());
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Of the context, the tool may touch nothing but what is here. */
const contextWith = (processes: Processes, signal: AbortSignal, report: (text: string) => void): ToolContext =>
  ({ processes, signal, report }) as unknown as ToolContext;
const bash = (
  args: JsonObject,
  more: { signal?: AbortSignal; report?: (text: string) => void } = {},
): Promise<ToolOutput> =>
  bashTool.run(args, contextWith(port, more.signal ?? new AbortController().signal, more.report ?? (() => {})));

describe('bash', () => {
  it('returns the output and the exit code, and streams while it runs', async () => {
    verifies('L1');
    const seen: string[] = [];
    const result = await bash({ command: 'echo one; echo two >&2' }, { report: (text) => seen.push(text) });
    expect(result.success && result.data.split('\n').sort()).toEqual(['', 'one', 'two']);
    expect(result.metadata).toEqual({ exit_code: 0 });
    expect(seen.join('').split('\n').sort()).toEqual(['', 'one', 'two']);
  });

  it('says of an empty output that it is empty', async () => {
    verifies('L1', 'Z5');
    expect(await bash({ command: 'true' })).toMatchObject({ success: true, data: '(no output, exit 0)' });
    expect(await bash({ command: 'exit 4' })).toMatchObject({ success: false, data: '(no output, exit 4)' });
  });

  it('fails with the output beside the failure', async () => {
    verifies('L1', 'Z6');
    expect(await bash({ command: 'echo why; exit 7' })).toEqual({
      success: false,
      error_type: 'io_error',
      error_message: 'The command failed with exit code 7',
      data: 'why\n',
      metadata: { exit_code: 7, reason: 'exit_code' },
    });
    expect(await bash({ command: 'kill -SEGV $$' })).toMatchObject({
      success: false,
      error_message: 'The command was ended by the signal SIGSEGV',
      metadata: { reason: 'signal' },
    });
    expect(await bash({ command: 'echo begun; sleep 100', timeout_ms: 700 })).toMatchObject({
      success: false,
      error_type: 'io_error',
      data: 'begun\n',
      metadata: { reason: 'timeout' },
    });
  });

  it('ends on cancel with what had come until then', async () => {
    verifies('L1', 'E11');
    const controller = new AbortController();
    const result = await bash(
      { command: 'echo begun; sleep 100' },
      { signal: controller.signal, report: () => controller.abort() },
    );
    expect(result).toMatchObject({ success: false, data: 'begun\n', metadata: { reason: 'cancelled' } });
  });

  it('gives the model at most 32 KiB of a flood, with both ends and the whole size', async () => {
    verifies('L1');
    for (const command of [
      'echo first; yes x | head -c 10000000; echo last',
      'echo first; head -c 200000 /dev/zero; echo last',
    ]) {
      const result = await bash({ command });
      if (!result.success) throw new Error(result.error_message);
      expect(Buffer.byteLength(result.data)).toBeLessThanOrEqual(32_768);
      expect(result.data).toContain('first\n');
      expect(result.data).toMatch(/last\n$/);
      expect(result.metadata?.truncated).toMatch(/ of (10,000,011|200,011) bytes/);
    }
  });

  it('shows colours as nothing, a progress bar as its last state, and other bytes by their numbers', async () => {
    verifies('L1');
    const command = String.raw`printf '\033[31mred\033[0m 10%%\r50%%\r100%%\n\033]0;title\007ok\r\n\000\377\376PNG'`;
    const result = await bash({ command });
    expect(result.success && result.data).toBe(
      '[binary output; bytes that are no text are shown by their numbers]\n100%\nok\n\\u{0}\ufffd\ufffdPNG',
    );
  });

  it('takes a command that begins with a dash, and refuses one that is empty or too long', async () => {
    verifies('L1', 'Z6');
    expect(await bash({ command: '-x' })).toMatchObject({ metadata: { exit_code: 127 } });
    expect(await bash({ command: ' \n' })).toMatchObject({ error_type: 'validation_failed' });
    expect(await bash({ command: 'x'.repeat(40_000) })).toMatchObject({ error_type: 'validation_failed' });
    expect(await bash({ command: 'a\0b' })).toMatchObject({ error_type: 'validation_failed' });
  });

  it('falls back to sh and says so where there is no bash', async () => {
    verifies('L1');
    const asked: string[] = [];
    const done: ProcessResult = {
      exitCode: 0,
      signal: null,
      stdout: '',
      stderr: '',
      output: 'hi',
      timedOut: false,
      cancelled: false,
    };
    const processes: Processes = {
      run: async ({ command }): Promise<Outcome<ProcessResult>> => {
        asked.push(command[0] as string);
        return command[0] === '/bin/sh' ? succeed(done) : failure('not_found', 'not there', 'program_not_found');
      },
    };
    const result = await bashTool.run(
      { command: 'x' },
      contextWith(processes, new AbortController().signal, () => {}),
    );
    expect(result).toMatchObject({ success: true, data: '[bash is not installed here; this ran in sh]\nhi' });
    expect(asked).toEqual(['/bin/bash', 'bash', '/bin/sh']);
  });

  it('is asked for every time, and has its own limit of time', () => {
    verifies('L1', 'Z7');
    expect(bashTool).toMatchObject({ risk: 'high', effects: 'process', timeout_ms: 0, main_argument: 'command' });
    expect(bashTool.parameters).toMatchObject({
      required: ['command'],
      properties: { timeout_ms: { default: 120_000, maximum: 600_000 } },
    });
  });
});

it('leaves no control character in what the model reads, whatever was printed', () => {
  verifies('L1');
  const unit = fc.oneof(
    fc.constantFrom('\u001b', '\u009b', '[', ']', '\u0007', '\\', ';', '3', 'm', '\r', '\n', '\0', '\u009d', 'P', 'é'),
    fc.string({ unit: 'binary', maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 30 }), (parts) => {
      expect(readableOutput(parts.join(''))).not.toMatch(/[\0-\u0008\u000b-\u001f\u007f-\u009f]/);
    }),
    { numRuns: rounds(833, 25_000) },
  );
});

it.each([
  ['rm \\\n-rf x', 'rm -rf x'],
  ["echo 'a \\\nb'", undefined],
  ['echo a \\\\\nb', undefined],
  ['r\\\nm x', 'rm x'],
])('a continued line is shown as it runs: %j', async (command, shown) => {
  // Nothing of the context is looked at.
  const preview = await bashTool.preview?.({ command }, {} as ToolContext);
  expect(preview?.summary).toBe(shown === undefined ? undefined : `run ${shown}`);
});
