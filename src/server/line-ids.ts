/**
 * Ids of the lines of a session's stream. `7` is the last line of the kept event 7, `6+1` the first of several lines of
 * it, `7.42~e` the 42nd line of progress of this process, sent after the event 7.
 */
import type { StreamLine } from '../agent/loop/call-model/stream-lines.ts';

export type IdentifiedLine = { line: StreamLine; id: string };

const POSITION = /^(\d+)(?:\+(\d+)|\.\d+~\w+)?$/;

/** Of one of the `count` lines of a kept event. */
export const keptLineId = (seq: number, index: number, count: number): string =>
  index === count - 1 ? `${seq}` : `${seq - 1}+${index + 1}`;

export const identified = (seq: number, lines: readonly StreamLine[]): IdentifiedLine[] =>
  lines.map((line, index) => ({ line, id: keptLineId(seq, index, lines.length) }));

export const progressLineId = (seq: number, count: number, epoch: string): string => `${seq}.${count}~${epoch}`;

/** The kept event behind which a reader resumes, and how many lines of the next one it has got. */
export const positionOf = (id: string | undefined): { after: number; skipped: number } => {
  const [, kept = '0', part = '0'] = POSITION.exec(id ?? '') ?? [];
  return { after: Number(kept), skipped: Number(part) };
};

/** The kept event that a reader with this id has heard of, the whole or some lines of it. */
export const reachedBy = (id: string | undefined): number => {
  const { after, skipped } = positionOf(id);
  return skipped > 0 ? after + 1 : after;
};

/** One line as a server-sent event. */
export const frameOf = (line: StreamLine, id: string | undefined): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${line.type}\ndata: ${JSON.stringify(line)}\n\n`;
