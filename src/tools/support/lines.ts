/**
 * Text as lines, by where each begins: a file of five million lines costs four bytes a line, not a string.
 * A line ends in `\n` or `\r\n`; nothing else breaks a line (no U+2028, no lone `\r`). Lines count from 1.
 */
import { numberWithMark } from './line-mark.ts';

export type Lines = { readonly text: string; readonly starts: Uint32Array };

/** Counted first: a list that grows is copied as it grows. */
export const linesOf = (text: string): Lines => {
  let count = 0;
  for (let start = 0; start < text.length; start = startAfter(text, start)) count += 1;
  const starts = new Uint32Array(count);
  for (let start = 0, line = 0; start < text.length; start = startAfter(text, start), line += 1) starts[line] = start;
  return { text, starts };
};
const startAfter = (text: string, start: number): number => {
  const end = text.indexOf('\n', start);
  return end === -1 ? text.length : end + 1;
};

export const lineCount = (lines: Lines): number => lines.starts.length;

/** Where line `number` begins; the end of the text for the line after the last. */
export const startOf = (lines: Lines, number: number): number => lines.starts[number - 1] ?? lines.text.length;

const withEnding = (lines: Lines, number: number): string =>
  lines.text.slice(startOf(lines, number), startOf(lines, number + 1));

/** The line without its ending. */
export const lineText = (lines: Lines, number: number): string => withEnding(lines, number).replace(/\r?\n$/, '');

export const endingOf = (lines: Lines, number: number): string => /\r?\n$/.exec(withEnding(lines, number))?.[0] ?? '';

/** The number of the line that holds the character at `offset`. */
export const lineAt = (lines: Lines, offset: number): number => {
  let low = 0;
  let high = lines.starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines.starts[middle] as number) <= offset) low = middle + 1;
    else high = middle;
  }
  return Math.max(1, low);
};

/** Content as a model writes it → its lines; a newline at the very end closes the last line and adds none. */
export const contentLines = (content: string): string[] => {
  const lines = content.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
};

/** The ending to give a new line near line `number`: that of its neighbours, else of the file, else `\n`. */
const endingNear = (lines: Lines, number: number): string => {
  for (const candidate of [number, number - 1, number + 1, 1]) {
    const ending = candidate >= 1 ? endingOf(lines, candidate) : '';
    if (ending !== '') return ending;
  }
  return '\n';
};

/**
 * Puts `added` in place of the lines `from` to `to` (`to = from - 1`: in front of `from`). Every other line keeps its
 * ending, a new one takes the ending of the line in whose place it stands, and a file without a newline at its end
 * stays without one.
 */
export const spliceLines = (lines: Lines, from: number, to: number, added: readonly string[]): string => {
  const { text } = lines;
  const usual = endingNear(lines, from);
  let before = text.slice(0, startOf(lines, from));
  const after = text.slice(startOf(lines, to + 1));
  if (before !== '' && !before.endsWith('\n')) before += usual;
  const middle = added
    .map((line, index) => line + ((from + index <= to && endingOf(lines, from + index)) || usual))
    .join('');
  const result = before + middle + after;
  const closed = text === '' || text.endsWith('\n');
  return closed || after !== '' ? result : result.replace(/\r?\n$/, '');
};

/** `1: text`, as read_file shows lines; `1#ab3f: text` with marks. */
export const numbered = (lines: Lines, from: number, to: number, marked = false): string[] => {
  const shown: string[] = [];
  for (let number = Math.max(1, from); number <= Math.min(to, lineCount(lines)); number += 1) {
    const text = lineText(lines, number);
    shown.push(`${marked ? numberWithMark(number, text) : number}: ${text}`);
  }
  return shown;
};
