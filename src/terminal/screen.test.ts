import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { rounds } from '../../tests/support/long.ts';
import { LiveScreen } from './screen.ts';

const COLUMNS = 20;
const ROWS = 8;

/** The little of a terminal that the screen uses; anything else fails the test. */
const createTerminal = () => {
  const scrollback: string[] = [];
  const grid: string[] = Array.from({ length: ROWS }, () => '');
  let row = 0;
  let column = 0;
  const put = (character: string): void => {
    // `expect` for every character would take most of the time.
    if (column >= COLUMNS) throw new Error('a line is wider than the terminal');
    grid[row] = grid[row]!.padEnd(column).slice(0, column) + character + grid[row]!.slice(column + 1);
    column += 1;
  };
  const lineFeed = (): void => {
    if (row < ROWS - 1) row += 1;
    else {
      scrollback.push(grid.shift()!);
      grid.push('');
    }
  };
  const control = (count: number, letter: string): void => {
    if (letter === 'A') row = Math.max(0, row - count);
    else if (letter === 'B') row = Math.min(ROWS - 1, row + count);
    else if (letter === 'C') column = Math.min(COLUMNS - 1, column + count);
    else if (letter === 'K') {
      if (column !== 0) throw new Error('a row is erased whole or not at all');
      grid[row] = '';
    } else {
      grid[row] = grid[row]!.slice(0, column);
      grid.fill('', row + 1);
    }
  };
  return {
    columns: COLUMNS,
    rows: ROWS,
    write(data: string): void {
      for (const match of data.matchAll(/\x1b\[\?\d+[hl]|\x1b\[(\d*)([ABCKJ])|(\r)|(\n)|([\x20-\x7e])|([\s\S])/g)) {
        const [, count, letter, carriageReturn, newLine, character, unknown] = match;
        if (letter) control(Number(count || 1), letter);
        else if (carriageReturn) column = 0;
        else if (newLine) lineFeed();
        else if (character) put(character);
        else if (unknown !== undefined) throw new Error(`not known: ${JSON.stringify(unknown)}`);
      }
    },
    all: (): string[] => [...scrollback, ...grid].map((line) => line.trimEnd()),
    cursor: () => ({ row: scrollback.length + row, column }),
  };
};

const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', 'c'), maxLength: COLUMNS - 1 });
const frame = fc.record({
  finished: fc.array(text, { maxLength: 4 }),
  live: fc.array(text, { minLength: 1, maxLength: ROWS }),
  cursor: fc.option(fc.record({ row: fc.nat(ROWS - 1), column: fc.nat(COLUMNS - 2) }), { nil: undefined }),
});

describe('live screen', () => {
  it('leaves exactly what was finished, in order and once, with the live lines below it', () => {
    verifies('Z19');
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 25 }), (frames) => {
        const terminal = createTerminal();
        const screen = new LiveScreen(terminal, { reflows: true });
        const finished: string[] = [];
        for (const each of frames) {
          const cursor = each.cursor && { ...each.cursor, row: Math.min(each.cursor.row, each.live.length - 1) };
          screen.draw({ ...each, cursor });
          finished.push(...each.finished);
          const lines = terminal.all();
          const wanted = [...finished, ...each.live].map((line) => line.trimEnd());
          expect(lines.slice(0, wanted.length)).toEqual(wanted);
          expect(lines.slice(wanted.length).join('')).toBe('');
          if (cursor) expect(terminal.cursor()).toEqual({ row: finished.length + cursor.row, column: cursor.column });
        }
        screen.clear();
        expect(terminal.all().join('\n').trimEnd()).toBe(
          finished
            .map((line) => line.trimEnd())
            .join('\n')
            .trimEnd(),
        );
      }),
      { numRuns: rounds(500, 15_000) },
    );
  });

  it('writes nothing when nothing changed', () => {
    let written = '';
    const screen = new LiveScreen(
      {
        columns: COLUMNS,
        rows: ROWS,
        write: (data) => {
          written += data;
        },
      },
      { reflows: true },
    );
    screen.draw({ finished: [], live: ['one', 'two'], cursor: { row: 1, column: 0 } });
    written = '';
    screen.draw({ finished: [], live: ['one', 'two'], cursor: { row: 1, column: 0 } });
    expect(written).toBe('');
    screen.draw({ finished: [], live: ['one', 'three'], cursor: { row: 1, column: 0 } });
    expect(written).not.toContain('one');
  });
});
