/** Rows in columns, for people. */
import { sanitizeLine } from '../terminal/sanitize.ts';
import { padEnd, widthOf } from '../terminal/text.ts';

const GAP = '  ';

/** The last column is not padded, so that no line ends in blanks. Nothing in it can steer a terminal. */
export const columns = (rows: readonly (readonly string[])[]): string => {
  const safe = rows.map((row) => row.map(sanitizeLine));
  const widths = safe.reduce<number[]>(
    (known, row) => row.map((cell, index) => Math.max(known[index] ?? 0, widthOf(cell))),
    [],
  );
  return safe
    .map((row) => row.map((cell, index) => (index === row.length - 1 ? cell : padEnd(cell, widths[index] ?? 0))))
    .map((row) => `${row.join(GAP).trimEnd()}\n`)
    .join('');
};
