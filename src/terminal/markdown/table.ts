import { padEnd, wrapSpans } from '../text.ts';
import type { Theme } from '../theme.ts';
import { inlineSpans } from './inline.ts';

const SEPARATOR = /^(?:\| *)?(?::?-+:? *\| *)+(?::?-*:?(?<=[:-]) *\|?)?$/;
const COLUMN_MIN = 6;
const GAP = 2;

export const isTableLine = (line: string): boolean => /^ *\|.*\| *$/.test(line);
const isSeparator = (line: string): boolean => SEPARATOR.test(line.trim()) && line.includes('-');

/** `| a | b \| c |` → its cells. */
const cells = (line: string): string[] =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll('\\|', '|').trim());

/** A table with its columns in line; where the window is too narrow for that, as it was written. */
export const tableLines = (source: readonly string[], width: number, theme: Theme): string[] => {
  const isTable = source.length >= 2 && isSeparator(source[1]!);
  const rows = source.filter((line) => !isSeparator(line)).map(cells);
  const count = largest(
    rows.map((row) => row.length),
    0,
  );
  const room = width - GAP * (count - 1);
  if (!isTable || count === 0 || room < count * COLUMN_MIN) {
    return source.flatMap((line) => wrapSpans(inlineSpans(line, theme), width).map((each) => each.text));
  }
  const widths = columnWidths(rows, count, room, theme);
  return rows.flatMap((row, index) => {
    const lines = rowLines(row, widths, theme, index === 0);
    const rule = widths.map((each) => theme.marks.rule.repeat(each)).join(' '.repeat(GAP));
    return index === 0 ? [...lines, theme.dim(rule)] : lines;
  });
};

/** `Math.max` takes no more values than the stack holds. */
const largest = (values: readonly number[], least: number): number =>
  values.reduce((most, value) => Math.max(most, value), least);

const columnWidths = (rows: readonly string[][], count: number, room: number, theme: Theme): number[] => {
  const natural = Array.from({ length: count }, (_, column) =>
    largest(
      rows.map((row) => longest(row[column] ?? '', theme)),
      COLUMN_MIN,
    ),
  );
  // The widest column gives way first, so that short ones stay whole.
  for (let over = natural.reduce((sum, each) => sum + each, 0) - room; over > 0; over -= 1) {
    natural[natural.indexOf(Math.max(...natural))]! -= 1;
  }
  return natural;
};

const longest = (cell: string, theme: Theme): number =>
  wrapSpans(inlineSpans(cell, theme), Number.MAX_SAFE_INTEGER)[0]?.width ?? 0;

const rowLines = (row: readonly string[], widths: readonly number[], theme: Theme, isHead: boolean): string[] => {
  const wrapped = widths.map((width, column) =>
    wrapSpans(inlineSpans(row[column] ?? '', theme, isHead ? theme.bold : undefined), width),
  );
  const height = Math.max(...wrapped.map((each) => each.length));
  return Array.from({ length: height }, (_, line) =>
    wrapped
      .map((cell, column) => padEnd(cell[line]?.text ?? '', widths[column]!))
      .join(' '.repeat(GAP))
      .trimEnd(),
  );
};
