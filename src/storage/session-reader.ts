/** A session's file → its events, with a word about every line that could not be read. Changes nothing. */

import type { FileHandle } from 'node:fs/promises';
import { formProblem } from '../core/copy-events.ts';
import type { Event } from '../core/events.ts';
import { counted } from '../core/number-text.ts';
import { type Failure, type Outcome, succeed } from '../core/outcome.ts';
import { STORAGE_LIMITS } from './limits.ts';
import { readLines } from './read-lines.ts';
import { checkVersion, decodeLine, type SessionLine } from './session-format.ts';

export type SessionContent = {
  events: Event[];
  warnings: string[];
  hasHeader: boolean;
  totalBytes: number;
  /** Where the good part ends; what comes after is a line that was not written to its end. */
  goodBytes: number;
  /** The last line is whole but for its newline. */
  newlineMissing: boolean;
};

export const TORN = 'was not written to its end';

export const readSession = async (file: FileHandle, name: string): Promise<Outcome<SessionContent>> => {
  const events: Event[] = [];
  const warnings: string[] = [];
  let hasHeader = false;
  let newlineMissing = false;
  let tornAt: number | undefined;
  let leftOut = 0;
  let refused: { ok: false; error: Failure } | undefined;

  const leaveOut = (number: number, problem: string): void => {
    leftOut += 1;
    if (leftOut > STORAGE_LIMITS.sessionWarnings) return;
    warnings.push(`${name}: line ${number} was left out, because ${problem}; it stays in the file`);
  };
  const accept = (line: SessionLine, number: number): void => {
    if (line.kind === 'header') hasHeader = true;
    else if (line.kind === 'damaged') leaveOut(number, line.problem);
    else if (line.kind === 'event' && isNext(events, line.event)) events.push(line.event);
    else if (line.kind === 'event' && jumped(events, line.event)) {
      // The number of the line before was damaged, not this one's.
      events[events.length - 1] = line.event;
      leaveOut(number - 1, 'its number is not the next one');
    } else if (line.kind === 'event') leaveOut(number, 'its number was there before');
  };

  const totalBytes = await readLines(file, ({ number, start, bytes, complete }) => {
    const line = bytes === undefined ? damaged('it is too long') : wellFormed(decodeLine(bytes));
    if (line.kind === 'header') {
      const version = checkVersion(line.header, name);
      if (!version.ok) {
        refused = version;
        return false;
      }
    }
    if (!complete) {
      // Whole but for its newline, it is a fact; anything else was never written and never promised to anybody.
      newlineMissing = line.kind === 'event' && isNext(events, line.event);
      if (!newlineMissing) {
        tornAt = start;
        warnings.push(`${name}: the last line (${number}) ${TORN} and was left out`);
        return true;
      }
    }
    accept(line, number);
    return true;
  });
  if (refused) return refused;
  if (leftOut > STORAGE_LIMITS.sessionWarnings)
    warnings.push(`${name}: ${counted(leftOut, 'line')} were left out in all`);
  return succeed({
    events,
    warnings,
    hasHeader,
    totalBytes,
    goodBytes: tornAt ?? totalBytes,
    newlineMissing,
  });
};

const damaged = (problem: string): SessionLine => ({ kind: 'damaged', problem });

/** What is made of the events relies on their shape, so a line that was damaged into another shape is left out like any other. */
const wellFormed = (line: SessionLine): SessionLine => {
  const problem = line.kind === 'event' ? formProblem(line.event) : undefined;
  return problem === undefined ? line : damaged(problem);
};

/** Numbers have no gaps, so one that leaves some out and is then followed by those, or by itself, was not written so. */
const jumped = (events: readonly Event[], event: Event): boolean => {
  const last = events.at(-1)?.seq ?? 0;
  const before = events.at(-2)?.seq ?? 0;
  return last > before + 1 && event.seq > before && event.seq <= last;
};
const isNext = (events: readonly Event[], event: Event): boolean => event.seq > (events.at(-1)?.seq ?? 0);
