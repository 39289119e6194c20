/**
 * Short marks of lines, for edits by models that lose count: read_file shows a mark beside each number when it is asked to,
 * and a line tool that is given one finds its line again where the file has shifted. Four characters tell the lines of an
 * ordinary file apart; lines that share a mark are asked about, never guessed.
 */
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { lineMark } from './line-mark.ts';
import { type Lines, lineCount, lineText } from './lines.ts';
import { regionsText } from './nearest-region.ts';
import type { Section } from './sections.ts';

/** `ab3f` marks the first line of a range, `ab3f-09cd` the first and the last; a number copied with it is let go. */
const readAnchor = (anchor: string): { first: string; last?: string } | undefined => {
  const found = /^\s*(?:\d*#)?([0-9a-z]{4})(?:\s*(?:-|–|\.\.)\s*(?:\d*#)?([0-9a-z]{4}))?\s*$/i.exec(anchor);
  const [, first, last] = found ?? [];
  if (first === undefined) return undefined;
  return { first: first.toLowerCase(), ...(last === undefined ? {} : { last: last.toLowerCase() }) };
};

/** Whether an anchor speaks of every line of a range, so that nothing in it can have changed unseen. */
export const coversAll = (anchor: string, { from, to }: Section): boolean => {
  const marks = readAnchor(anchor);
  return marks !== undefined && (from === to || (marks.last !== undefined && to === from + 1));
};

const PLACES_SHOWN = 3;

/** The range that was meant: where it is said to be, if its marks are there, else the one place where they are. */
export const anchoredSection = (lines: Lines, section: Section, anchor: string): Outcome<Section> => {
  const marks = readAnchor(anchor);
  if (marks === undefined) {
    return failure(
      'validation_failed',
      `anchor is "${anchor.slice(0, 40)}", but a mark is four letters or digits as read_file shows them with anchors, such as ab3f, or two of them for the first and the last line: ab3f-09cd`,
    );
  }
  const height = section.to - section.from;
  const count = lineCount(lines);
  const fits = (from: number): boolean =>
    from >= 1 &&
    from + height <= count &&
    lineMark(lineText(lines, from)) === marks.first &&
    (marks.last === undefined || lineMark(lineText(lines, from + height)) === marks.last);
  if (fits(section.from)) return succeed(section);
  const places: Section[] = [];
  for (let from = 1; from + height <= count; from += 1) if (fits(from)) places.push({ from, to: from + height });
  const [only] = places;
  if (only !== undefined && places.length === 1) return succeed(only);
  const near = only === undefined ? [section] : places.slice(0, PLACES_SHOWN);
  const why = only === undefined ? 'no such lines are there' : `such lines are there ${places.length} times`;
  return failure(
    'validation_failed',
    `anchor ${anchor.trim()} is not at line ${section.from}, and ${why}; read the file again with anchors:\n${regionsText(lines, near)}`,
  );
};
