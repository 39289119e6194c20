/** A unified diff as lines with their sign, every character of them to be seen. */
import { visible } from '../parts/visible.ts';

export type DiffLine = { sign: '+' | '-' | '@' | ' '; text: string };

export const diffLines = (diff: string): DiffLine[] => {
  const lines = diff.replace(/\n$/, '').split('\n');
  // Below the first hunk a line that begins with `---` is one that goes, not a heading.
  const firstHunk = lines.findIndex((line) => line.startsWith('@@'));
  return lines.map((line, index) => ({ sign: signOf(line, index <= firstHunk), text: visible(line) }));
};

/** Without the two lines that name the file, where what stands above says it; the second name must be no other. */
export const withoutNames = (diff: string): string => {
  const [, before, after] = /^--- (?:a\/)?([^\n]*)\n\+\+\+ (?:b\/)?([^\n]*)\n/.exec(diff) ?? [];
  return before !== undefined && before === after ? diff.split('\n').slice(2).join('\n') : diff;
};

const signOf = (line: string, isHead: boolean): DiffLine['sign'] => {
  if (isHead || line.startsWith('@@')) return '@';
  return line.startsWith('+') ? '+' : line.startsWith('-') ? '-' : ' ';
};

/** `+2 -1`: what a change did, in the fewest signs. */
export const changeSize = (diff: string): string => {
  const lines = diffLines(diff);
  return `+${lines.filter(({ sign }) => sign === '+').length} -${lines.filter(({ sign }) => sign === '-').length}`;
};
