import { shortDiff } from '../core/short-diff.ts';
import { sanitizeLine } from './sanitize.ts';
import { wrapSpans } from './text.ts';
import type { Paint, Theme } from './theme.ts';

/** A unified diff, every line with its sign in its first column. */
export const diffLines = (diff: string | undefined, width: number, theme: Theme): string[] => {
  if (diff === undefined || diff === '') return [];
  const lines = shortDiff(diff.replace(/\n$/, '')).split('\n');
  // Below the first hunk a line that begins with `---` is one that goes, not a heading.
  const firstHunk = lines.findIndex((line) => line.startsWith('@@'));
  return [
    '',
    ...lines.flatMap((line, index) => {
      const paint = index <= firstHunk || line.startsWith('@@') ? theme.dim : changePaint(line, theme);
      // A tab keeps its width and can be seen; everything else that cannot be seen is escaped.
      const safe = line.split('\t').map(sanitizeLine).join('→   ');
      // What is left of a long line never looks like a line of its own.
      return wrapSpans([{ text: safe, paint }], width, `  ${theme.marks.ellipsis} `).map((each) => each.text);
    }),
  ];
};

/** The same without the names of the files, which stand above it already. */
export const changedLines = (diff: string, width: number, theme: Theme): string[] => {
  const lines = shortDiff(diff).split('\n');
  const from = lines.findIndex((line) => line.startsWith('@@'));
  return from < 0 ? [] : diffLines(lines.slice(from).join('\n'), width, theme).slice(1);
};

const changePaint = (line: string, theme: Theme): Paint | undefined =>
  line.startsWith('+') ? theme.good : line.startsWith('-') ? theme.bad : undefined;
