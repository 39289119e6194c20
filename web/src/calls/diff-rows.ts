/** A unified diff as rows for a person: with the numbers of the lines, and the words that changed. Pure. */
import { visible } from '../parts/visible.ts';
import { type DiffLine, diffLines } from './diff-lines.ts';
import { type Piece, wordChanges } from './word-changes.ts';

export type DiffRow = {
  sign: DiffLine['sign'];
  /** Of the line before and after; none in headings. */
  old?: number;
  now?: number;
  pieces: readonly Piece[];
};

/** So many lines that go are compared with as many that come. */
const COMPARED_LINES = 60;
const COMPARED_CHARACTERS = 2_000;

const HEADING = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

export const diffRows = (diff: string): DiffRow[] => withWords(plainRows(diff));

/** Without the words that changed. */
export const plainRows = (diff: string): DiffRow[] => withGaps(numbered(diffLines(diff)));

/** The numbers beside the lines say what the headings of places say; what is left out between two of them shows. */
const withGaps = (rows: readonly DiffRow[]): DiffRow[] => {
  let places = 0;
  return rows.flatMap((row) => {
    if (row.sign !== '@' || !HEADING.test(textOf(row))) return [row];
    places += 1;
    return places === 1 ? [] : [{ ...row, pieces: [{ text: '⋯', changed: false }] }];
  });
};

/** The rows of one place in a file; `lines` have their signs. */
export const hunkRows = (hunk: { old_start: number; new_start: number; lines: readonly string[] }): DiffRow[] =>
  withWords(
    numbered(
      hunk.lines.map((line) => ({ sign: signOf(line), text: visible(line.replace(/\r$/, '')) })),
      { old: hunk.old_start, now: hunk.new_start },
    ),
  );

/** `\ No newline at end of file` is about a line and none itself. */
const signOf = (line: string): DiffLine['sign'] =>
  line.startsWith('+') ? '+' : line.startsWith('-') ? '-' : line.startsWith('\\') ? '@' : ' ';

const numbered = (lines: readonly DiffLine[], start?: { old: number; now: number }): DiffRow[] => {
  let at = start;
  return lines.map(({ sign, text }): DiffRow => {
    const [, old, now] = (sign === '@' && HEADING.exec(text)) || [];
    if (old !== undefined && now !== undefined) at = { old: Number(old), now: Number(now) };
    const pieces = [{ text: text === '' ? ' ' : text, changed: false }];
    // A word about the diff stands at the edge, where a line of the file has its sign.
    if (sign === '@' || at === undefined || (sign === ' ' && text !== '' && !text.startsWith(' '))) {
      return { sign, pieces };
    }
    const row: DiffRow = {
      sign,
      pieces,
      ...(sign === '+' ? {} : { old: at.old }),
      ...(sign === '-' ? {} : { now: at.now }),
    };
    at = { old: at.old + (sign === '+' ? 0 : 1), now: at.now + (sign === '-' ? 0 : 1) };
    return row;
  });
};

/** Lines that go, followed by as many that come, are the same lines changed. */
export const withWords = (rows: DiffRow[]): DiffRow[] => {
  for (let start = 0; start < rows.length; start += 1) {
    if (rows[start]?.sign !== '-') continue;
    let middle = start;
    while (rows[middle]?.sign === '-') middle += 1;
    let end = middle;
    while (rows[end]?.sign === '+') end += 1;
    const count = middle - start;
    if (count === end - middle && count <= COMPARED_LINES)
      for (let index = 0; index < count; index += 1) compare(rows, start + index, middle + index);
    start = end - 1;
  }
  return rows;
};

const compare = (rows: DiffRow[], oldAt: number, nowAt: number): void => {
  const [old, now] = [rows[oldAt] as DiffRow, rows[nowAt] as DiffRow];
  const [before, after] = [textOf(old), textOf(now)];
  if (Math.max(before.length, after.length) > COMPARED_CHARACTERS) return;
  const changes = wordChanges(before.slice(1), after.slice(1));
  if (changes === undefined) return;
  rows[oldAt] = { ...old, pieces: [{ text: '-', changed: false }, ...changes.before] };
  rows[nowAt] = { ...now, pieces: [{ text: '+', changed: false }, ...changes.after] };
};

const textOf = ({ pieces }: DiffRow): string => pieces.map(({ text }) => text).join('');
