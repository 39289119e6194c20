// The part of the package that is used: its root loads five times as much.

import { structuredPatch } from 'diff/lib/patch/create.js';
import { beginningOf } from '../../core/cut-text.ts';
import { TOOL_LIMITS } from '../limits.ts';
import { counted, grouped } from './format.ts';
import { lineCount, linesOf } from './lines.ts';

export type TextDiff = {
  added: number;
  removed: number;
  /** Headers and bodies of the hunks; undefined where there are too many. */
  lines: string[] | undefined;
};

type Window = { before: string; after: string; offset: number };

/** Goes back from `at` to where a line begins, and `lines` lines further. */
const lineStartBefore = (text: string, at: number, lines: number): number => {
  let start = text.lastIndexOf('\n', at - 1) + 1;
  for (let back = 0; back < lines && start > 0; back += 1) {
    start = start === 1 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
  }
  return at === 0 ? 0 : start;
};

const lineEndAfter = (text: string, at: number, lines: number): number => {
  let end = at;
  for (let forth = 0; forth <= lines && end < text.length; forth += 1) {
    const next = text.indexOf('\n', end);
    end = next === -1 ? text.length : next + 1;
  }
  return end;
};

const countLineBreaks = (text: string, until: number): number => {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < until; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
};

/** The part that differs, with the context round it: a small edit of a big file costs little. */
const windowOf = (before: string, after: string): Window => {
  const shorter = Math.min(before.length, after.length);
  let same = 0;
  while (same < shorter && before.charCodeAt(same) === after.charCodeAt(same)) same += 1;
  const from = lineStartBefore(before, same, TOOL_LIMITS.previewContextLines);
  let sameEnd = 0;
  while (
    sameEnd < shorter - same &&
    before.charCodeAt(before.length - 1 - sameEnd) === after.charCodeAt(after.length - 1 - sameEnd)
  ) {
    sameEnd += 1;
  }
  const end = lineEndAfter(before, before.length - sameEnd, TOOL_LIMITS.previewContextLines);
  const kept = before.length - end;
  return {
    before: before.slice(from, end),
    after: after.slice(from, after.length - kept),
    offset: countLineBreaks(before, from),
  };
};

/** A range of no lines is named by the line before it. */
const range = (start: number, count: number, window: Window): string =>
  `${start + window.offset - (count === 0 ? 1 : 0)},${count}`;

export const diffTexts = (before: string, after: string, timeout: number = TOOL_LIMITS.diffTimeoutMs): TextDiff => {
  const diff = patchOf(before, after, timeout);
  return hasReturnsEverywhere(before, after)
    ? { ...diff, lines: diff.lines?.map((line) => line.replace(/\r$/, '')) }
    : diff;
};

/** A carriage return that every line has says nothing; one that a line gains or loses is a change like any other. */
const hasReturnsEverywhere = (before: string, after: string): boolean =>
  before.includes('\r\n') && [before, after].every((text) => !/(?<!\r)\n|\r$/.test(text));

const patchOf = (before: string, after: string, timeout: number): TextDiff => {
  const window = windowOf(before, after);
  const outline = {
    added: lineCount(linesOf(window.after)),
    removed: lineCount(linesOf(window.before)),
    lines: undefined,
  };
  if (outline.added + outline.removed > TOOL_LIMITS.diffLines) return outline;
  const patch = structuredPatch('', '', window.before, window.after, '', '', {
    context: TOOL_LIMITS.previewContextLines,
    timeout,
  });
  // Which lines stay the same is not known in time; the change itself is.
  if (patch === undefined) return replacement(window, outline);
  const diff = { added: 0, removed: 0, lines: [] as string[] };
  for (const hunk of patch.hunks) {
    diff.lines.push(
      `@@ -${range(hunk.oldStart, hunk.oldLines, window)} +${range(hunk.newStart, hunk.newLines, window)} @@`,
    );
    for (const line of hunk.lines) {
      if (line.startsWith('+')) diff.added += 1;
      if (line.startsWith('-')) diff.removed += 1;
      diff.lines.push(line);
    }
  }
  return diff;
};

/** The old lines and then the new ones. */
const replacement = (window: Window, { added, removed }: { added: number; removed: number }): TextDiff => ({
  added,
  removed,
  lines: [
    `@@ -${range(1, removed, window)} +${range(1, added, window)} @@`,
    ...signed('-', window.before),
    ...signed('+', window.after),
  ],
});

const signed = (sign: string, text: string): string[] => {
  const lines = text.split('\n').map((line) => `${sign}${line}`);
  return text === '' || text.endsWith('\n') ? lines.slice(0, -1) : [...lines, '\\ No newline at end of file'];
};

/** What changes, without where: equal for the same change made to a file that moved meanwhile. */
export const bodyOf = (diff: TextDiff): string | undefined =>
  diff.lines?.filter((line) => !line.startsWith('@@ ')).join('\n');

/** The whole unified diff; what a person is shown of a long one, the surfaces cut (`core/short-diff.ts`). */
export const unifiedDiff = (path: string, diff: TextDiff, isNew: boolean): string => {
  const head = [`--- ${isNew ? '/dev/null' : `a/${path}`}`, `+++ b/${path}`];
  if (diff.lines === undefined) {
    return [
      ...head,
      `[too much changes to show: about ${counted(diff.removed, 'line')} become ${grouped(diff.added)}]`,
    ].join('\n');
  }
  const whole = [...head, ...diff.lines].join('\n');
  if (whole.length <= TOOL_LIMITS.previewDiffCharacters) return whole;
  const kept = beginningOf(whole, TOOL_LIMITS.previewDiffCharacters);
  return `${kept}\n[the first ${grouped(kept.length)} of ${grouped(whole.length)} characters of this diff]`;
};
