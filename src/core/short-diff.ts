/** A diff as a person is shown it: of a long one the beginning, with how much is missing. A program has all of it. */
import { LIMITS } from './limits.ts';
import { counted, grouped } from './number-text.ts';

export const shortDiff = (diff: string): string => {
  const lines = diff.split('\n');
  const shown = lines.slice(0, LIMITS.previewLines).map(shortLine);
  const left = lines.length - shown.length;
  if (left === 0) return shown.join('\n');
  const note = `[${counted(left, 'more line')} of this diff ${left === 1 ? 'is' : 'are'} not shown]`;
  return [...shown, note].join('\n');
};

const shortLine = (line: string): string => {
  const most = LIMITS.previewLineCharacters;
  if (line.length <= most) return line;
  return `${line.slice(0, most).toWellFormed()} [line truncated: ${grouped(most)} of ${grouped(line.length)} characters]`;
};
