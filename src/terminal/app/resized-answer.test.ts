/** A window that is resized while an answer streams: what is left in it and in its scrollback is the answer, once. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { everyNth } from '../../../tests/support/long.ts';
import { ReflowingTerminal, type ResizeManner } from '../../../tests/support/reflowing-terminal.ts';
import { createTheme } from '../theme.ts';
import { Transcript } from '../transcript.ts';
import type { PaintedParts } from './painter.ts';
import { Painter } from './painter.ts';

const theme = createTheme({ NO_COLOR: '1', LANG: 'C.UTF-8' });

const words = (from: number, count: number, end = ' '): string =>
  Array.from({ length: count }, (_, index) => `w${from + index};${end}`).join('');
const lines = (from: number, count: number, prefix: string, each = 1): string =>
  Array.from({ length: count }, (_, index) => `${prefix}${words(from + index * each, each).trim()}\n`).join('');
const row = (from: number, filler: string): string => `| w${from}; | w${from + 1}; ${filler} | w${from + 2}; |\n`;
const table = (from: number, count: number, filler = ''): string =>
  `| one | two | three |\n|---|---|---|\n${Array.from({ length: count }, (_, index) => row(from + 3 * index, filler)).join('')}`;

/** Each is an answer with `w0;`, `w1;`, … in it, in this order. */
const ANSWERS: Record<string, string> = {
  'one long paragraph': words(0, 900),
  paragraphs: lines(0, 12, '\n', 60),
  'a long paragraph with marks': Array.from(
    { length: 200 },
    (_, index) => `**w${4 * index};** \`w${4 * index + 1};\` *w${4 * index + 2}; w${4 * index + 3};* `,
  ).join(''),
  'a paragraph in bold as high as the window': `**${words(0, 400).trim()}**`,
  'a paragraph with a mark that is never closed': `so *it is ${words(0, 800)}`,
  'a wide script': Array.from({ length: 400 }, (_, index) => `鷺鷺w${index};`).join(''),
  'a list with long items': lines(0, 6, '- ', 150),
  'a quotation': `> ${words(0, 700)}`,
  'code of many lines': `\`\`\`ts\n${lines(0, 150, 'const a = ', 3)}\`\`\`\n`,
  'one long line of code': `\`\`\`ts\n${words(0, 600)}\n\`\`\`\n`,
  'a table': table(0, 15, 'and some words more than it has room for'),
  'a long table': table(0, 70, '🎉 日本語 and so on'),
  'a table between paragraphs': `${words(0, 100)}\n\n${table(100, 20, 'x')}\n${words(160, 300)}`,
};

/** What stays open as a whole: in a window with empty rows below, nobody can know how much of it a resize takes away. */
const OPEN = new Set([
  'a paragraph in bold as high as the window',
  'a paragraph with a mark that is never closed',
  'a table',
  'a long table',
  'a table between paragraphs',
]);
const EARLIER = 'earlier\n'.repeat(60);

type Size = readonly [columns: number, rows: number];
const RESIZES: readonly (readonly Size[])[] = [
  [
    [100, 30],
    [50, 20],
  ],
  [
    [100, 30],
    [100, 20],
  ],
  [
    [100, 30],
    [60, 30],
  ],
  [
    [80, 24],
    [120, 36],
  ],
  [
    [120, 40],
    [40, 15],
  ],
  [
    [100, 30],
    [70, 24],
    [50, 18],
    [100, 30],
  ],
];

/** The answer comes in pieces, a frame after each; the sizes follow each other at even distances in it. */
const shown = (manner: ResizeManner, earlier: string, answer: string, sizes: readonly Size[]): string[] => {
  const terminal = new ReflowingTerminal(manner, ...sizes[0]!);
  const transcript = new Transcript(theme, []);
  const prompt = (width: number) => ({
    lines: ['─'.repeat(width), '❯ a', '─'.repeat(width)],
    cursor: { row: 1, column: 3 },
  });
  const painter = new Painter(
    terminal,
    theme,
    {
      transcript: () => transcript,
      activity: () => ({ line: () => ['⠋ Writing', ''] }),
      shell: { isRunning: false, line: () => [] },
      overlay: () => undefined,
      questions: { current: undefined },
      outbox: { lines: () => [] },
      prompt: { render: prompt, text: '' },
      takeBackKey: '',
      footer: ({ width }: { width: number }) => 'f'.repeat(width),
    } as unknown as PaintedParts,
    { reflows: manner === 'tmux' },
  );
  const say = (update: object): void => transcript.apply(update as Parameters<Transcript['apply']>[0], 0);
  const end = (content: string): void =>
    say({ type: 'assistant_message_added', seq: 1, message: { content, tool_calls: [] } });
  if (earlier !== '') end(earlier);
  painter.draw(0, 0);
  const pieces = answer.match(/[\s\S]{1,47}/gu) ?? [];
  const every = Math.ceil(pieces.length / sizes.length);
  for (const [index, delta] of pieces.entries()) {
    say({ type: 'text_delta', delta });
    const next = index % every === 0 ? sizes[index / every] : undefined;
    // What came since the last frame is not on the screen when the window changes.
    if (next !== undefined && index > 0) terminal.resize(...next);
    painter.draw(0, 0);
  }
  end(answer);
  painter.draw(0, 0);
  return terminal.all();
};

const numbersIn = (rows: readonly string[]): number[] =>
  [
    ...rows
      .map((each) => each.trim())
      .join('')
      .matchAll(/w(\d+);/g),
  ].map((match) => Number(match[1]));

describe('a resize of the window while an answer streams', () => {
  it.each(Object.keys(ANSWERS))('leaves %s once and in order', (name) => {
    verifies('Z19');
    const answer = ANSWERS[name]!;
    const all = numbersIn([answer]);
    const plays = (['tmux', 'cuts'] as const).flatMap((manner) =>
      (OPEN.has(name) ? [EARLIER] : [EARLIER, '']).flatMap((earlier) =>
        RESIZES.map((sizes) => ({ manner, earlier, sizes })),
      ),
    );
    const wrong = everyNth(plays, 5).flatMap(({ manner, earlier, sizes }) => {
      const found = numbersIn(shown(manner, earlier, answer, sizes));
      const twice = found.filter((each, index) => found.indexOf(each) < index).length;
      const missing = all.filter((each) => !found.includes(each)).length;
      const isOrdered = found.every((each, index) => index === 0 || each > found[index - 1]!);
      return twice + missing > 0 || !isOrdered ? [{ manner, sizes: sizes.join(' → '), twice, missing, isOrdered }] : [];
    });
    expect(wrong).toEqual([]);
  });
});
