/** A unified diff as lines with their sign, every character of them to be seen. */
import { visible } from '../parts/visible.ts';

export type DiffLine = { sign: '+' | '-' | '@' | ' '; text: string };

export const diffLines = (diff: string, isAfterHunk = false): DiffLine[] => {
  const lines = diff.replace(/\n$/, '').split('\n');
  // Below the first hunk a line that begins with `---` is one that goes, not a heading.
  const firstHunk = isAfterHunk ? -1 : lines.findIndex((line) => line.startsWith('@@'));
  return lines.map((line, index) => ({ sign: signOf(line, index <= firstHunk), text: visible(line) }));
};

/** Stands in the place of a name where there is no file before or after. */
const NO_FILE = '/dev/null';

/** Without the two lines that name the file, where what stands above says it; they must name one file. */
export const withoutNames = (diff: string): string => {
  const [head, before, after] = /^--- ([^\n]*)\n\+\+\+ ([^\n]*)\n/.exec(diff) ?? [];
  if (head === undefined || before === undefined || after === undefined) return diff;
  const isOne = before === NO_FILE || after === NO_FILE || before.replace(/^a\//, '') === after.replace(/^b\//, '');
  return isOne ? diff.slice(head.length) : diff;
};

const signOf = (line: string, isHead: boolean): DiffLine['sign'] => {
  if (isHead || line.startsWith('@@')) return '@';
  return line.startsWith('+') ? '+' : line.startsWith('-') ? '-' : ' ';
};
