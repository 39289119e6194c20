/** The places in which two texts differ, and the newer text with some of them as they were. Pure. */
// The part of the package that is used: its root loads five times as much.
import { structuredPatch } from 'diff/lib/patch/create.js';
import { AGENT_LIMITS } from '../limits.ts';

export type Hunk = { oldStart: number; oldLines: number; newStart: number; newLines: number; lines: readonly string[] };

const CONTEXT_LINES = 3;

/** Undefined where working it out takes too long. */
export const hunksOf = (before: string, now: string): readonly Hunk[] | undefined =>
  structuredPatch('', '', before, now, '', '', {
    context: CONTEXT_LINES,
    timeout: AGENT_LIMITS.reviewDiffMs,
  })?.hunks;

/** Which of the places stand among these others as they are: at the same lines before, with the same lines now. */
export const samePlaces = (hunks: readonly Hunk[], others: readonly Hunk[]): ReadonlyMap<number, number> => {
  const known = new Map(others.map((hunk, index) => [nameOf(hunk), index]));
  return new Map(
    hunks.flatMap((hunk, index) => {
      const other = known.get(nameOf(hunk));
      return other === undefined ? [] : [[index, other] as const];
    }),
  );
};

const nameOf = ({ oldStart, oldLines, lines }: Hunk): string => JSON.stringify([oldStart, oldLines, lines]);

/** Lines with their endings. */
const linesOf = (text: string): string[] => (text === '' ? [] : text.split(/(?<=\n)/));

/** `hunks` are those of `before` and `now`; the chosen ones hold what was there before. */
export const withoutHunks = (
  before: string,
  now: string,
  hunks: readonly Hunk[],
  chosen: ReadonlySet<number>,
): string => {
  const [old, lines] = [linesOf(before), linesOf(now)];
  // From the end, so that the places further up stay where they are.
  for (const [index, hunk] of [...hunks.entries()].reverse()) {
    if (!chosen.has(index)) continue;
    const { oldStart, oldLines, newStart, newLines } = hunk;
    lines.splice(newStart - 1, newLines, ...old.slice(oldStart - 1, oldStart - 1 + oldLines));
  }
  return lines.join('');
};
