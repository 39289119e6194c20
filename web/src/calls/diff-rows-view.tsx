import { memo } from 'react';
import type { DiffRow } from './diff-rows.ts';

const widthOf = (rows: readonly DiffRow[], which: 'old' | 'now'): number =>
  rows.reduce((most, row) => Math.max(most, row[which] ?? 0), 0).toString().length;

/** As wide as a digit, and kept where a line begins. */
const FIGURE_SPACE = '\u2007';
const padded = (value: number | undefined, width: number): string =>
  (value?.toString() ?? '').padStart(width, FIGURE_SPACE);

/** The numbers are drawn and no part of the text, so that what is copied is the lines alone. */
export const DiffRows = memo(({ rows }: { rows: readonly DiffRow[] }) => {
  const isNumbered = rows.some(({ old, now }) => old !== undefined || now !== undefined);
  const [old, now] = [widthOf(rows, 'old'), widthOf(rows, 'now')];
  return (
    <pre className="mono mono-wrap">
      {rows.map((row, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of a diff have no other name, and never change.
          key={index}
          className={`diff-line ${isNumbered ? 'diff-row' : ''}`}
          data-sign={row.sign}
          data-numbers={isNumbered ? `${padded(row.old, old)}${FIGURE_SPACE}${padded(row.now, now)}` : undefined}
          data-number={isNumbered ? padded(row.now ?? row.old, Math.max(old, now)) : undefined}
        >
          <span className="block min-w-0">
            {row.pieces.map(({ text, changed }, place) =>
              changed ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above.
                <span key={place} className="diff-word">
                  {text}
                </span>
              ) : (
                text
              ),
            )}
          </span>
        </span>
      ))}
    </pre>
  );
});
