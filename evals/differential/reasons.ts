/** The reviewed list of reasons: why two readings differ, in words a person can check against the text. */
import { readFileSync } from 'node:fs';
import type { Difference, Verdict } from './compare.ts';

export type Reason = {
  engine: string;
  /** Formats it was reviewed for. */
  formats: readonly string[];
  differences: readonly Difference[];
  /** Holds only for cases with one of these tags. */
  tags?: readonly string[];
  /** Holds only for these cases. */
  cases?: readonly string[];
  /** Holds only for the parser of whole texts, or of streams. */
  mode?: Mode;
  /**
   * The expectation is set aside: it rests on a rule of ours, and the engine's reading follows another rule that can
   * be defended. No entry can claim that halter is right; that is for the expectation to say.
   */
  verdict?: Extract<Verdict, 'both defensible' | 'upstream right'>;
  reason: string;
};
export type Mode = 'whole' | 'stream';

export type Question = {
  engine: string;
  id: string;
  format: string;
  tags: readonly string[];
  mode: Mode;
  difference: Difference;
};

export const readReasons = (): Reason[] =>
  JSON.parse(readFileSync(new URL('reasons.json', import.meta.url), 'utf8')) as Reason[];

const holds = (entry: Reason, question: Question): boolean =>
  entry.engine === question.engine &&
  entry.formats.includes(question.format) &&
  entry.differences.includes(question.difference) &&
  (entry.tags === undefined || entry.tags.some((tag) => question.tags.includes(tag))) &&
  (entry.cases === undefined || entry.cases.includes(question.id)) &&
  (entry.mode === undefined || entry.mode === question.mode);

/** The narrowest entry that holds: one that names the case, then one that names a tag or a mode, then the rest. */
const narrowness = (entry: Reason): number =>
  (entry.cases === undefined ? 0 : 4) + (entry.tags === undefined ? 0 : 2) + (entry.mode === undefined ? 0 : 1);

export const reasonFor = (reasons: readonly Reason[], question: Question): Reason | undefined =>
  reasons
    .filter((entry) => holds(entry, question))
    .sort((left, right) => narrowness(right) - narrowness(left))
    .at(0);
