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

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/;

/** The same changes of one file with at most so many unchanged lines round them. What is no unified diff stays. */
export const withContext = (diff: string, lines: number): string => {
  const all = diff.replace(/\n$/, '').split('\n');
  const first = all.findIndex((line) => HUNK.test(line));
  if (first < 0 || all.filter((line) => line.startsWith('+++ ')).length > 1) return diff;
  const out = all.slice(0, first);
  let hunk: string[] = [];
  for (const line of [...all.slice(first), undefined]) {
    if (line !== undefined && !HUNK.test(line)) hunk.push(line);
    else {
      if (hunk.length > 0) out.push(...narrowed(hunk, lines));
      hunk = line === undefined ? [] : [line];
    }
  }
  return out.join('\n');
};

/** One hunk, its heading first, as those that are left of it. */
const narrowed = ([heading = '', ...body]: readonly string[], lines: number): string[] => {
  const [, from, to, rest = ''] = HUNK.exec(heading) ?? [];
  let [before, after] = [Number(from), Number(to)];
  const isChange = (line: string): boolean => /^[-+]/.test(line);
  const isNear: boolean[] = [];
  for (const [index, line] of body.entries()) {
    const around = body.slice(Math.max(0, index - lines), index + lines + 1);
    // That no line feed follows is said of the line before it.
    isNear.push(line.startsWith('\\') ? isNear[index - 1] === true : around.some(isChange));
  }
  const out: string[] = [];
  let kept: { before: number; after: number; lines: string[] } | undefined;
  const flush = (): void => {
    if (kept === undefined) return;
    const count = (pattern: RegExp): number => kept?.lines.filter((line) => pattern.test(line)).length ?? 0;
    out.push(
      `@@ -${kept.before},${count(/^[^+\\]|^$/)} +${kept.after},${count(/^[^-\\]|^$/)} @@${rest}`,
      ...kept.lines,
    );
    kept = undefined;
  };
  for (const [index, line] of body.entries()) {
    if (isNear[index]) {
      kept ??= { before, after, lines: [] };
      kept.lines.push(line);
    } else flush();
    if (!/^[+\\]/.test(line)) before += 1;
    if (!/^[-\\]/.test(line)) after += 1;
  }
  flush();
  return out;
};
