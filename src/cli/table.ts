/** Rows in columns, for people. */
import { sanitizeLine, sanitizeTitle } from '../terminal/sanitize.ts';
import { padEnd, widthOf, wrapText } from '../terminal/text.ts';
import type { Output } from './io.ts';

const GAP = '  ';

/** The last column is not padded, so that no line ends in blanks. Nothing in it can steer a terminal. */
export const columns = (
  rows: readonly (readonly string[])[],
  /** What people and models wrote stands in the last column: emoji and letters that join stay joined. */
  options: { isProse?: 'last' } = {},
): string => {
  const safe = rows.map((row) =>
    row.map((cell, index) =>
      options.isProse === 'last' && index === row.length - 1 ? sanitizeTitle(cell) : sanitizeLine(cell),
    ),
  );
  const widths = safe.reduce<number[]>(
    (known, row) => row.map((cell, index) => Math.max(known[index] ?? 0, widthOf(cell))),
    [],
  );
  return safe
    .map((row) => row.map((cell, index) => (index === row.length - 1 ? cell : padEnd(cell, widths[index] ?? 0))))
    .map((row) => `${row.join(GAP).trimEnd()}\n`)
    .join('');
};

/** What is read by nobody at a terminal is as wide as a page. */
const PAGE_COLUMNS = 120;
export const widthFor = ({ isTTY, columns: width }: Pick<Output, 'isTTY' | 'columns'>): number =>
  isTTY && width > 0 ? width : PAGE_COLUMNS;

const isWithin = (text: string, width: number): boolean => text.split('\n').every((line) => widthOf(line) <= width);

/**
 * As many columns as there is room for: those of `leastFirst` go, one after another. Where nothing is left to go, the first
 * column stands on a line of its own.
 */
export const columnsWithin = (
  rows: readonly (readonly string[])[],
  width: number,
  leastFirst: readonly number[],
): string => {
  for (let gone = 0; gone <= leastFirst.length; gone += 1) {
    const without = new Set(leastFirst.slice(0, gone));
    const table = columns(rows.map((row) => row.filter((_, index) => !without.has(index))));
    if (isWithin(table, width)) return table;
  }
  const kept = rows.map((row) => row.filter((_, index) => !leastFirst.includes(index)));
  const below = columns(kept.map(([, ...rest]) => ['', ...rest])).split('\n');
  return kept.map(([first = ''], index) => `${sanitizeLine(first)}\n${below[index] ?? ''}\n`).join('');
};

/** Names, and what is said of each wrapped beside it. `whole`: not broken, since it is copied. */
export const factsWithin = (
  rows: readonly (readonly [name: string, text: string])[],
  width: number,
  whole: readonly string[] = [],
): string => {
  const indent = Math.max(0, ...rows.map(([name]) => widthOf(name))) + GAP.length;
  return columns(
    rows.flatMap(([name, text]) => {
      if (whole.includes(name)) return [[name, text]];
      return wrapText(sanitizeLine(text), Math.max(1, width - indent)).map((line, at) => [at === 0 ? name : '', line]);
    }),
  );
};

export const paragraphsWithin = (paragraphs: readonly string[], width: number): string =>
  paragraphs.map((text) => `${wrapText(text, width).join('\n')}\n`).join('');
