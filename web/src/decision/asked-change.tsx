/** The change that a call would make: of a long one how it begins and ends, and all of it once it was opened. */
import { useMemo } from 'react';
import { LIMITS } from '../../../src/core/limits.ts';
import { counted } from '../../../src/core/number-text.ts';
import { type DiffRow, diffRows, plainRows, withWords } from '../calls/diff-rows.ts';
import { DiffRows } from '../calls/diff-rows-view.tsx';
import { LeftOut } from './left-out.tsx';
import { ReadEnd } from './read-end.tsx';
import { useUnfolding } from './use-reading.ts';

/** Of the lines that are shown at first, those at its end. */
const LAST_LINES = 40;
/** So many lines are laid out together; those out of sight cost little. */
const BLOCK_LINES = 500;

const isLong = (rows: readonly DiffRow[]): boolean =>
  rows.length > LIMITS.previewLines || rows.some((row) => textOf(row).length > LIMITS.previewLineCharacters);
const textOf = ({ pieces }: DiffRow): string => pieces.map(({ text }) => text).join('');
const shortened = (row: DiffRow): DiffRow => {
  const text = textOf(row);
  if (text.length <= LIMITS.previewLineCharacters) return row;
  return {
    ...row,
    pieces: [{ text: `${text.slice(0, LIMITS.previewLineCharacters).toWellFormed()}…`, changed: false }],
  };
};

export const AskedChange = ({ diff }: { diff: string }) => {
  const { isWhole, open } = useUnfolding();
  const rows = useMemo(() => plainRows(diff), [diff]);
  const isFolded = !isWhole && isLong(rows);
  return (
    <figure className="relative my-1 rounded border border-line bg-raised py-1" aria-label="The change">
      {isFolded ? <BeginAndEnd rows={rows} onOpen={open} /> : <All diff={diff} />}
    </figure>
  );
};

const All = ({ diff }: { diff: string }) => {
  const blocks = useMemo(() => {
    const rows = diffRows(diff);
    const count = Math.ceil(rows.length / BLOCK_LINES);
    return Array.from({ length: count }, (_, at) => rows.slice(at * BLOCK_LINES, (at + 1) * BLOCK_LINES));
  }, [diff]);
  return (
    <>
      {blocks.map((rows, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks of a change stay where they are.
        <div key={index} className={blocks.length > 1 ? 'diff-block' : undefined}>
          <DiffRows rows={rows} />
        </div>
      ))}
      <ReadEnd atBottom />
    </>
  );
};

const BeginAndEnd = ({ rows, onOpen }: { rows: readonly DiffRow[]; onOpen(): void }) => {
  const left = rows.length - LIMITS.previewLines;
  const [first, last] = useMemo(() => {
    const cut = left > 0 ? LIMITS.previewLines - LAST_LINES : rows.length;
    const parts = [rows.slice(0, cut), left > 0 ? rows.slice(-LAST_LINES) : []];
    return parts.map((part) => withWords(part.map(shortened)));
  }, [rows, left]);
  return (
    <>
      {first && <DiffRows rows={first} />}
      <LeftOut onOpen={onOpen} words={left > 0 ? counted(left, 'more line') : 'the rest of long lines'} />
      {last && <DiffRows rows={last} />}
    </>
  );
};
