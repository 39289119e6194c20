/** Rows in columns, for people. */
import { sanitizeLine, sanitizeTitle } from '../terminal/sanitize.ts';
import { padEnd, widthOf } from '../terminal/text.ts';

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
