import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { everyNth } from '../../tests/support/long.ts';
import { ReflowingTerminal, type ResizeManner } from '../../tests/support/reflowing-terminal.ts';
import { type Frame, LiveScreen } from './screen.ts';
import { widthOf, wrapText } from './text.ts';

const ROWS = 24;
const WIDTHS = [40, 57, 80, 100, 133, 200];

const FOOTER = 'FOOTER';
const fill = (start: string, width: number, letter: string): string =>
  `${start} ${letter.repeat(Math.max(0, Math.floor((width - 1 - start.length) / widthOf(letter))))}`;
const prompt = (text: string, width: number): string[] => wrapText(`PROMPT ${text}`, width - 1);

/** What stands below the conversation, as wide as it can be, at a width. */
type State = (width: number) => Pick<Frame, 'live' | 'cursor'>;

const typed = (text: string, above: (width: number) => string[]): State => {
  return (width) => {
    const lines = prompt(text, width);
    const tops = above(width);
    const column = widthOf(lines.at(-1) ?? '');
    const live = [...tops, ...lines, fill(FOOTER, width - 1, '·')];
    return { live, cursor: { row: tops.length + lines.length - 1, column } };
  };
};
const LONG = 'word after word '.repeat(22).trim();
const working = (width: number): string[] => ['', fill('SPINNER', width - 1, '-')];
const question = (width: number): string[] => [
  '',
  fill('PROMPT', width - 1, '─'),
  ...Array.from({ length: 6 }, (_, index) => fill(`| ${index}`, width - 1, 'q')),
];

const STATES: Record<string, State> = {
  idle: typed('', () => ['']),
  'idle with a long message': typed(LONG, () => ['']),
  'a message as wide as the window will be': typed('p'.repeat(33), () => ['']),
  'a wide script': typed('鷺'.repeat(60), () => ['', fill('SPINNER', 80, '鷺')]),
  writing: typed('', (width) => [fill('tail', width - 1, 't'), ...working(width)]),
  'writing with a long message': typed(LONG, (width) => [fill('tail', width - 1, 't'), ...working(width)]),
  question: (width) => ({ live: [...question(width), fill(FOOTER, width - 1, '·')] }),
  'question over a message': (width) => ({
    live: [...question(width), fill('draft', width - 1, 'd'), fill(FOOTER, width - 1, '·')],
  }),
  'as high as the window': typed('', (width) => [
    ...Array.from({ length: ROWS - 4 }, (_, index) => `tail ${index}`),
    ...working(width),
  ]),
  'as high as the window, and wide': typed('', (width) => [
    ...Array.from({ length: ROWS - 4 }, (_, index) => fill(`tail ${index}`, width - 1, 't')),
    ...working(width),
  ]),
};

/** A finished line as the transcript wraps it, each word its own. */
const finished = (from: number, count: number, width: number): string[] =>
  Array.from({ length: count }, (_, index) => `<${from + index}>`.padEnd(width - 1, '.'));

/** The rows from the first line with this word on, wrapped at a width, do not fit: their top is in the scrollback for good. */
const isTooHigh = (state: State, part: string, from: number, [width, rows]: readonly [number, number]): boolean => {
  const { live } = state(from);
  const below = live.slice(live.findIndex((line) => line.startsWith(part)));
  return below.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / width)), 0) > rows;
};

const countOf = (text: string, part: string): number => text.split(part).length - 1;

/** What is wrong after the window went through these widths, a frame after each. */
const wrongAfter = (manner: ResizeManner, state: State, sizes: readonly (readonly [number, number])[]): string[] => {
  const [first, ...next] = sizes;
  if (!first) return [];
  const terminal = new ReflowingTerminal(manner, ...first);
  const screen = new LiveScreen(terminal, { reflows: manner === 'tmux' });
  const parts = [FOOTER, 'PROMPT', 'SPINNER', 'draft'];
  const least = parts.map((part) => countOf(state(first[0]).live.join(), part));
  const most = [...least];
  let written = 0;
  const draw = (): void => {
    screen.draw({ finished: finished(written, 8, terminal.columns), ...state(terminal.columns) });
    written += 8;
  };
  for (let frame = 0; frame < 4; frame += 1) draw();
  for (const size of next) {
    for (const [index, part] of parts.entries())
      if (manner === 'tmux' && most[index] && isTooHigh(state, part, terminal.columns, size)) most[index] += 1;
    terminal.resize(...size);
    screen.draw({ finished: [], ...state(terminal.columns) });
    draw();
  }
  const text = terminal.all().join('\n');
  const lines = Array.from({ length: written }, (_, index) => `<${index}>`);
  const places = lines.map((line) => text.indexOf(line));
  return [
    ...parts
      .filter((part, index) => countOf(text, part) < (least[index] ?? 0) || countOf(text, part) > (most[index] ?? 0))
      .map((part) => `${part} × ${countOf(text, part)}`),
    ...lines.filter((line) => countOf(text, line) !== 1).map((line) => `${line} × ${countOf(text, line)}`),
    ...(places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0)) ? [] : ['out of order']),
  ];
};

const pairs = WIDTHS.flatMap((from) => WIDTHS.filter((to) => to !== from).map((to) => [from, to] as const));
const HEIGHTS = [
  [ROWS, ROWS],
  [ROWS, ROWS + 12],
  [ROWS + 12, ROWS],
] as const;

describe('a resize of the window', () => {
  it.each(['tmux', 'cuts'] as const)('leaves one footer, one prompt and every line once (%s)', (manner) => {
    verifies('Z19');
    const rows = Object.entries(STATES).flatMap(([name, state]) =>
      everyNth(pairs, 3).flatMap(([from, to]) =>
        HEIGHTS.map(([high, then]) => ({
          row: `${name}: ${from}×${high} → ${to}×${then}`,
          wrong: wrongAfter(manner, state, [
            [from, high],
            [to, then],
          ]),
        })),
      ),
    );
    const wrong = rows.filter((row) => row.wrong.length > 0);
    expect({ of: rows.length, wrong: wrong.length, rows: wrong }).toEqual({ of: rows.length, wrong: 0, rows: [] });
  });
});
