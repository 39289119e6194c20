import type { Curated, OutlineEntry } from '../../core/retrieval-port.ts';
import type { LinesShown } from '../../core/tool-result.ts';
import { TOOL_LIMITS } from '../limits.ts';
import { counted, grouped } from './format.ts';
import { type Lines, lineCount, lineText } from './lines.ts';
import { LINE_NOTE_CHARACTERS, shownLine } from './sections.ts';

/** The definitions that begin in these lines, the outermost only, as many as a line of text holds. */
const namesIn = (outline: readonly OutlineEntry[], from: number, to: number): string => {
  const starting = outline.filter(({ line_start }) => line_start >= from && line_start <= to);
  const outer = starting.filter(
    (entry) =>
      !starting.some(
        (other) =>
          other !== entry &&
          other.line_start <= entry.line_start &&
          other.line_end >= entry.line_end &&
          other.within.length < entry.within.length,
      ),
  );
  const named = outer
    .slice(0, TOOL_LIMITS.curatorOmittedNamed)
    .map(({ name, line_start, line_end }) => `${name} ${line_start}–${line_end}`);
  const more = outer.length - named.length;
  return named.length === 0 ? '' : `: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};

/**
 * The chosen lines as they stand in the file, with their numbers; between them, in brackets, what is left out and what
 * begins there. A line that does not lie in the file, or comes twice, would be a fault of this program.
 */
export const renderCurated = (
  lines: Lines,
  curated: Curated,
  { most = TOOL_LIMITS.readFileCharacters, page = 0 }: { most?: number; page?: number } = {},
): { data: string; truncated?: string; lines_shown?: LinesShown } => {
  const count = lineCount(lines);
  const shown: string[] = [];
  const ranges: string[] = [];
  const places: LinesShown['ranges'] = [];
  let characters = 0;
  let next = 1;
  let total = 0;
  const leaveOut = (to: number): void => {
    if (to < next) return;
    const range = to === next ? `line ${grouped(next)}` : `lines ${grouped(next)}–${grouped(to)}`;
    const gap = `[${range} left out${namesIn(curated.outline, next, to)}]`;
    characters += gap.length + 1;
    shown.push(gap);
  };
  for (const { line_start: from, line_end: to } of curated.sections) {
    if (from < next || to > count) throw new Error(`the curator chose lines ${from} to ${to} of ${count}`);
    leaveOut(from - 1);
    let number = from;
    for (; number <= to; number += 1) {
      const line = `${number}: ${shownLine(lineText(lines, number), Math.min(page, most - LINE_NOTE_CHARACTERS))}`;
      if (characters + line.length > most && characters > 0) break;
      characters += line.length + 1;
      shown.push(line);
    }
    next = number;
    total += number - from;
    if (number > from) places.push([from, number - 1]);
    if (number > from) ranges.push(number - 1 === from ? grouped(from) : `${grouped(from)}–${grouped(number - 1)}`);
    if (number <= to) break;
  }
  leaveOut(count);
  if (total === count) return { data: shown.join('\n') };
  const truncated = `${counted(total, 'line')} of ${grouped(count)} (${ranges.join(', ')}), chosen by what the conversation is about; the rest by reading the file again, a range with line_start and line_end, all with full: true`;
  // First, so that nobody takes a part for the file.
  return { data: [`[${truncated}]`, ...shown].join('\n'), truncated, lines_shown: { total: count, ranges: places } };
};
