import type { JsonObject } from '../../core/json.ts';
import { LIMITS } from '../../core/limits.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { LinesShown } from '../../core/tool-result.ts';
import { isWrittenProse } from '../../core/written-prose.ts';
import { TOOL_LIMITS } from '../limits.ts';
import { counted, grouped } from './format.ts';
import { numberWithMark } from './line-mark.ts';
import { type Lines, lineCount, lineText } from './lines.ts';

/** Lines `from` to `to`, both included, counted from 1. */
export type Section = { from: number; to: number };
/** `complete`: what was asked for, or all there is; otherwise the reader is told how to get more. */
export type Choice = { sections: Section[]; complete: boolean };

/**
 * Which lines of a file are shown: all of a short one, the range that was asked for, the whole where `full` says so,
 * and the beginning of a long one. The one place to change when an agent chooses the sections that matter.
 */
export const chooseSections = (lines: Lines, args: JsonObject): Outcome<Choice> => {
  const count = lineCount(lines);
  const page = LIMITS.readFileWholeLines;
  const start = typeof args.line_start === 'number' ? args.line_start : undefined;
  const end = typeof args.line_end === 'number' ? args.line_end : undefined;
  if (args.full === true) return succeed({ sections: [{ from: 1, to: count }], complete: true });
  if (start === undefined && end === undefined) {
    return count < page
      ? succeed({ sections: [{ from: 1, to: count }], complete: true })
      : succeed({ sections: [{ from: 1, to: Math.min(page, count) }], complete: count <= page });
  }
  const from = start ?? 1;
  if (end !== undefined && end < from) {
    return failure('validation_failed', `line_end (${end}) is before line_start (${from})`);
  }
  if (from > Math.max(count, 1)) {
    return failure('validation_failed', `line_start is ${from}, but the file has ${counted(count, 'line')}`);
  }
  const to = Math.min(end ?? from + page - 1, count);
  return succeed({ sections: [{ from, to }], complete: end !== undefined || to === count });
};

/** A line as it is shown; a very long one is cut, and says so. `page`: bytes that a line of prose may take, such as a whole page. */
export const shownLine = (text: string, page = 0): string => {
  const { readFileLineCharacters, readFileLineBytes } = TOOL_LIMITS;
  if (text.length <= readFileLineCharacters && Buffer.byteLength(text) <= readFileLineBytes) return text;
  const isPage = page > readFileLineBytes && isWrittenProse(text);
  const bytes = isPage ? page : readFileLineBytes;
  let kept = text.slice(0, isPage ? page : readFileLineCharacters);
  while (Buffer.byteLength(kept) > bytes) kept = kept.slice(0, Math.floor(kept.length * 0.9));
  if (kept === text) return text;
  // Not through the middle of a character of two halves.
  kept = kept.toWellFormed() === kept ? kept : kept.slice(0, -1);
  return `${kept} [line truncated: ${grouped(kept.length)} of ${grouped(text.length)} characters]`;
};

/** Its number, and that it is cut. */
export const LINE_NOTE_CHARACTERS = 80;

/** The numbered text of the sections, and where it had to end. */
export const renderSections = (
  lines: Lines,
  choice: Choice,
  { most, page, isMarked }: { most: number; page: number; isMarked: boolean },
): { data: string; truncated?: string; lines_shown?: LinesShown } => {
  const count = lineCount(lines);
  if (count === 0) return { data: '' };
  const shown: string[] = [];
  const ranges: string[] = [];
  const places: LinesShown['ranges'] = [];
  let characters = 0;
  let whole = choice.complete;
  for (const { from, to } of choice.sections) {
    let number = from;
    if (shown.length > 0) shown.push('…');
    for (; number <= to; number += 1) {
      const text = lineText(lines, number);
      const line = `${isMarked ? numberWithMark(number, text) : number}: ${shownLine(text, Math.min(page, most - LINE_NOTE_CHARACTERS))}`;
      if (characters + line.length > most && shown.length > 0) break;
      characters += line.length + 1;
      shown.push(line);
    }
    if (number > from) places.push([from, number - 1]);
    if (number > from) ranges.push(number - 1 === from ? grouped(from) : `${grouped(from)}–${grouped(number - 1)}`);
    if (number <= to) {
      whole = false;
      break;
    }
  }
  const range = `lines ${ranges.join(', ')} of ${grouped(count)}`;
  const lines_shown = { total: count, ranges: places };
  if (!whole) {
    const truncated = `${range}; ask for a range with line_start and line_end`;
    return { data: [...shown, `[${truncated}]`].join('\n'), truncated, lines_shown };
  }
  const all = choice.sections.length === 1 && choice.sections[0]?.from === 1 && choice.sections[0].to === count;
  return all ? { data: shown.join('\n') } : { data: [...shown, `[${range}]`].join('\n'), lines_shown };
};
