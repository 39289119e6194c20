import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { ToolResult } from '../../core/tool-result.ts';
import { createTheme } from '../theme.ts';
import type { Item } from '../transcript/items.ts';
import { ShellController } from './shell-controller.ts';

const done = (data: string, exitCode = 0): ToolResult => ({
  success: exitCode === 0,
  data,
  error_message: exitCode === 0 ? null : `The command failed with exit code ${exitCode}`,
  error_type: exitCode === 0 ? 'none' : 'io_error',
  metadata: { execution_time_ms: 1, data_size_bytes: data.length, timestamp: 1, exit_code: exitCode },
});
const controller = (
  run: (command: string, options: { signal: AbortSignal; report(text: string): void }) => Promise<ToolResult>,
) => {
  const items: Item[] = [];
  const notices: string[] = [];
  const made = new ShellController({
    run,
    add: (item) => items.push(item),
    notice: (_severity, text) => notices.push(text),
    changed() {},
  });
  const lines = () => items.flatMap((item) => item.take({ width: 80, theme: createTheme({}), now: 0, frame: 0 }));
  return { controller: made, notices, lines };
};

describe('a command that the person types', () => {
  test('runs, is shown, and goes with the next message once', async () => {
    verifies('U1');
    const { controller: shell, lines } = controller(async (command, { report }) => {
      report('first\nsec');
      report('ond \u001b[31mred\n');
      return done(`output of ${command}`);
    });
    await shell.run('!make test');
    const shown = lines();
    expect(shown.map((line) => stripVTControlCharacters(line))).toEqual([
      '  first',
      expect.stringMatching(/^ {2}second .*red$/),
    ]);
    expect(shown.join('')).not.toContain('\u001b[31m');
    expect(shell.take()).toEqual([
      {
        type: 'text',
        text: 'I ran this command myself (exit 0):\n$ make test\noutput of make test',
        shown: '[!make test]',
      },
    ]);
    expect(shell.take()).toEqual([]);
  });

  test('stays with the person behind two marks', async () => {
    const { controller: shell } = controller(async () => done('secret'));
    await shell.run('!!cat notes');
    expect(shell.take()).toEqual([]);
  });

  test('that fails says so, and is told all the same', async () => {
    const { controller: shell, notices } = controller(async () => done('boom', 2));
    await shell.run('!make');
    expect(notices).toEqual(['The command failed with exit code 2']);
    expect(shell.take()).toMatchObject([{ text: expect.stringContaining('(exit 2)') }]);
  });

  test('is stopped by the person, and another one waits for it', async () => {
    const { controller: shell, notices } = controller(
      (_command, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(done('', 130)), { once: true });
        }),
    );
    const running = shell.run('!sleep 100');
    await shell.run('!ls');
    expect(notices).toEqual(['A command is running. Esc stops it.']);
    expect(shell.isRunning).toBe(true);
    shell.cancel();
    await running;
    expect(shell.isRunning).toBe(false);
  });
});
