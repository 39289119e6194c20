/** A session's file → its events, with a word about every line that could not be read. Changes nothing. */
import type { FileHandle } from 'node:fs/promises';
import v8 from 'node:v8';
import type { Event } from '../core/events.ts';
import { LIMITS } from '../core/limits.ts';
import { type Failure, type Outcome, succeed } from '../core/outcome.ts';
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
  const isLarge = (await file.stat()).size > LIMITS.sessionLargeBytes;
  if (isLarge) keepNurserySmall(true);
  try {
    return await readWhole(file, name);
  } finally {
    if (isLarge) keepNurserySmall(false);
  }
};

/**
 * V8 lets the space for young objects grow while much is allocated, and every line is a string that is soon forgotten:
 * without this, a session of 200 MB takes 310 MB of memory instead of 220.
 */
const keepNurserySmall = (small: boolean): void => v8.setFlagsFromString(`--semi-space-growth-factor=${small ? 1 : 2}`);

const readWhole = async (file: FileHandle, name: string): Promise<Outcome<SessionContent>> => {
  const events: Event[] = [];
  const warnings: string[] = [];
  let hasHeader = false;
  let newlineMissing = false;
  let tornAt: number | undefined;
  let leftOut = 0;
  let refused: { ok: false; error: Failure } | undefined;

  const leaveOut = (number: number, problem: string): void => {
    leftOut += 1;
    if (leftOut > LIMITS.sessionWarnings) return;
    warnings.push(`${name}: line ${number} was left out, because ${problem}; it stays in the file`);
  };
  const accept = (line: SessionLine, number: number): void => {
    if (line.kind === 'header') hasHeader = true;
    else if (line.kind === 'damaged') leaveOut(number, line.problem);
    else if (line.kind === 'event' && !isNext(events, line.event)) leaveOut(number, 'its number was there before');
    else if (line.kind === 'event') events.push(line.event);
  };

  const totalBytes = await readLines(file, ({ number, start, bytes, complete }) => {
    const line: SessionLine = bytes === undefined ? { kind: 'damaged', problem: 'it is too long' } : decodeLine(bytes);
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
  if (leftOut > LIMITS.sessionWarnings) warnings.push(`${name}: ${leftOut} lines were left out in all`);
  return succeed({
    events,
    warnings,
    hasHeader,
    totalBytes,
    goodBytes: tornAt ?? totalBytes,
    newlineMissing,
  });
};

const isNext = (events: readonly Event[], event: Event): boolean => event.seq > (events.at(-1)?.seq ?? 0);
