/** A diff as a person is shown it where no question hangs on it: of a long one the beginning, with how much is missing. */
import { beginningOf } from './cut-text.ts';
import { LIMITS } from './limits.ts';
import { counted, grouped } from './number-text.ts';

export const shortDiff = (diff: string): string => cutDiff(diff).text;

/** With how many of its lines are not shown; a question whose `left` is not 0 has not said all that will be written. */
export const cutDiff = (diff: string): { text: string; left: number } => {
  const lines = diff.split('\n');
  const kept = keptLines(lines, LIMITS.previewLines);
  const out: string[] = [];
  for (const [at, index] of kept.entries()) {
    const gap = index - (kept[at - 1] ?? -1) - 1;
    if (gap > 0) out.push(notShown(gap, 'more removed line', ''));
    out.push(shortLine(lines[index] ?? ''));
  }
  const below = lines.length - 1 - (kept.at(-1) ?? -1);
  if (below > 0) out.push(notShown(below, 'more line', ' of this diff'));
  const isLong = kept.some((index) => (lines[index] ?? '').length > LIMITS.previewLineCharacters);
  return { text: out.join('\n'), left: lines.length - kept.length + (isLong ? 1 : 0) };
};

const notShown = (count: number, what: string, where: string): string =>
  `[${counted(count, what)}${where} ${count === 1 ? 'is' : 'are'} not shown]`;

/**
 * The places of so many lines from the beginning. Where the end falls into lines that go and others that come in their
 * place, there are some of both.
 */
export const keptLines = (lines: readonly string[], most: number): number[] => {
  const kept: number[] = [];
  for (let at = 0; at < lines.length && kept.length < most; ) {
    const going = runOf(/^[-\\]/, lines, at);
    const coming = runOf(/^[+\\]/, lines, at + going);
    const room = most - kept.length;
    const shown = Math.min(coming, Math.max(Math.floor(room / 2), room - going));
    for (let index = 0; index < Math.min(going, room - shown); index += 1) kept.push(at + index);
    for (let index = 0; index < shown; index += 1) kept.push(at + going + index);
    if (going + coming === 0) kept.push(at);
    at += Math.max(1, going + coming);
  }
  return kept;
};

const runOf = (sign: RegExp, lines: readonly string[], from: number): number => {
  let end = from;
  while (end < lines.length && sign.test(lines[end] ?? '')) end += 1;
  return end - from;
};

/** False where a tool could not set all of it out: its last line says so, and stands where a line has its sign. */
export const isWholeDiff = (diff: string): boolean => !/(?:^|\n)\[[^\n]*\n?$/.test(diff);

export const shortLine = (line: string): string => {
  const most = LIMITS.previewLineCharacters;
  if (line.length <= most) return line;
  return `${beginningOf(line, most)} [line truncated: ${grouped(most)} of ${grouped(line.length)} characters]`;
};

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/;

/** The argument that is all that a file will hold, by whatever tool. */
const CONTENT = 'content';

/**
 * Whether the diff says all that this argument changes: it is the file's new content, and each place of the diff stands in
 * it where the diff has it, so what is left of it is there already. False where the diff is cut, or is none.
 */
export const isContentIn = (diff: string, argument: string, text: string): boolean => {
  if (argument !== CONTENT || !isWholeDiff(diff)) return false;
  const lines = text.split('\n');
  let at: number | undefined;
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    const [heading, , to] = HUNK.exec(line) ?? [];
    if (heading !== undefined) at = Number(to) - 1;
    else if (at !== undefined && /^[+ ]/.test(line) && lines[at++] !== line.slice(1)) return false;
  }
  return at !== undefined;
};

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
