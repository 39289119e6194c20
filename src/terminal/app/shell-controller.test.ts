import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { ToolResult } from '../../core/tool-result.ts';
import { TERMINAL_LIMITS } from '../limits.ts';
import { createTheme } from '../theme.ts';
import type { Item } from '../transcript/items.ts';
import type { Detail } from '../transcript.ts';
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
  contextTokens?: number,
) => {
  const items: Item[] = [];
  const notices: string[] = [];
  const details: Detail[] = [];
  const made = new ShellController({
    run,
    add: (item) => items.push(item),
    notice: (_severity, text) => notices.push(text),
    addDetail: (detail) => details.push(detail),
    contextTokens: () => contextTokens,
    now: () => 0,
    changed() {},
  });
  const lines = () => items.flatMap((item) => item.take({ width: 80, theme: createTheme({}), now: 0, frame: 0 }));
  return { controller: made, notices, lines, details, items };
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

  test('shows all of a line in a window that is too narrow for it, and of a very long one its beginning', async () => {
    const words = (count: number): string[] => Array.from({ length: count }, (_, index) => `word${index}`);
    for (const [count, left] of [
      [12, 0],
      [300, 1],
    ] as const) {
      const { controller: shell, items } = controller(async (_command, { report }) => {
        report(`${words(count).join(' ')}\n`);
        return done('');
      });
      await shell.run('!make');
      const view = { width: 40, theme: createTheme({ NO_COLOR: '1', LANG: 'C.UTF-8' }), now: 0, frame: 0 };
      const rows = items.flatMap((item) => item.take(view)).map(stripVTControlCharacters);
      const shown = rows
        .join(' ')
        .split(/ +/)
        .filter((word) => /^word\d+$/.test(word));
      expect(shown).toEqual(words(count).slice(0, shown.length));
      expect([shown.length < count, rows.filter((row) => row.endsWith('…')).length]).toEqual([left > 0, left]);
      expect(rows.length).toBeLessThanOrEqual(TERMINAL_LIMITS.commandLineRows);
      for (const row of rows) expect(row.length).toBeLessThanOrEqual(40);
    }
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

  const numbered = (count: number): string =>
    Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

  test.each([
    [40, 40],
    [41, 41],
    [5_001, 41],
    [25_000, 41],
  ])('of %i lines shows the first and the last, and opens in full', async (count, shownLines) => {
    const {
      controller: shell,
      lines,
      details,
    } = controller(async (_command, { report }) => {
      for (const piece of numbered(count).match(/[\s\S]{1,999}/g) ?? []) report(piece);
      return done('');
    });
    await shell.run('!make');
    const shown = lines().map((line) => stripVTControlCharacters(line).trim());
    expect(shown).toHaveLength(shownLines);
    expect(shown[0]).toBe('line 1');
    expect(shown.at(-1)).toBe(`line ${count}`);
    if (count > 40) expect(shown[20]).toMatch(/^… [\d,]+ lines? between, Ctrl\+O opens (?:it|them)$/);
    const opened = details[0]?.lines(80) ?? [];
    expect(details[0]?.title).toBe('!make');
    expect(opened.at(-1)).toBe(`line ${count}`);
    expect(opened.length).toBeLessThanOrEqual(2 * TERMINAL_LIMITS.commandKeptLines + 21);
    if (count <= TERMINAL_LIMITS.commandKeptLines) expect(opened).toHaveLength(count);
  });

  test('shows its newest lines while it runs', async () => {
    let end = (): void => {};
    const {
      controller: shell,
      items,
      lines,
    } = controller(
      (_command, { report }) =>
        new Promise((resolve) => {
          report(numbered(100));
          report('half a li');
          end = () => resolve(done(''));
        }),
    );
    const running = shell.run('!make');
    lines();
    const live = items[0]?.live({ width: 80, theme: createTheme({}), now: 0, frame: 0 }) ?? [];
    expect(live.map((line) => stripVTControlCharacters(line).trim())).toEqual([
      '… 75 lines',
      ...[96, 97, 98, 99, 100].map((number) => `line ${number}`),
      'half a li',
    ]);
    end();
    await running;
    expect(items[0]?.live({ width: 80, theme: createTheme({}), now: 0, frame: 0 })).toEqual([]);
  });

  test('takes of the window no more than a result of a tool, also where there were several', async () => {
    const { controller: shell } = controller(async () => done(numbered(5_000)), 8_192);
    for (const command of ['!one', '!two', '!three']) await shell.run(command);
    const taken = shell.take();
    const texts = taken.map((part) => (part.type === 'text' ? part.text : ''));
    expect(texts.join('').length).toBeLessThan((8_192 / 4) * 3.5 + 1_000);
    for (const text of texts) {
      expect(text).toContain('\nline 1\n');
      expect(text).toContain('\nline 5000\n');
      expect(text).toMatch(/both ends, [\d,]+ of [\d,]+ characters/);
    }
  });

  test.each(['that has ended', 'that goes on'])('%s is not told in another conversation', async (when) => {
    const ends: ((result: ToolResult) => void)[] = [];
    const { controller: shell } = controller(() => new Promise((resolve) => ends.push(resolve)));
    const running = shell.run('!cat plans');
    if (when === 'that goes on') shell.forget();
    ends[0]?.(done('of the session before'));
    await running;
    shell.forget();
    expect(shell.take()).toEqual([]);
    const next = shell.run('!ls');
    ends[1]?.(done('of this one'));
    await next;
    expect(shell.take()).toMatchObject([{ shown: '[!ls]' }]);
  });

  test('says that it runs, for how long, and what stops it', async () => {
    let now = 1_000;
    let end = (_result: ToolResult): void => {};
    const changes: boolean[] = [];
    const shell: ShellController = new ShellController({
      run: () =>
        new Promise((resolve) => {
          end = resolve;
        }),
      add() {},
      addDetail() {},
      notice() {},
      contextTokens: () => undefined,
      now: () => now,
      changed: () => changes.push(shell.isRunning),
    });
    const shown = () =>
      shell
        .line({ width: 60, theme: createTheme({}), now, frame: 0 })
        .map((line) => stripVTControlCharacters(line).slice(2));
    expect([shown(), shell.spoken()]).toEqual([[], '']);
    const running = shell.run('!sleep 9 \u001b[31m');
    expect(changes).toEqual([true]);
    expect(shown()).toEqual([expect.stringMatching(/^Running !sleep 9 .*… {3}Esc stops$/)]);
    now += 3_000;
    expect(shown()).toEqual([expect.stringMatching(/… 3(\.0)? s {3}Esc stops$/)]);
    expect(shell.spoken()).toMatch(/^Running !sleep 9/);
    expect(shown()[0] + shell.spoken()).not.toContain('\u001b');
    end(done(''));
    await running;
    expect([shown(), shell.spoken(), changes.at(-1)]).toEqual([[], '', false]);
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
