/** Spans of time as a request says them, in the unit that an argument asks for: "the next week" is 7 days. */
import type { JsonSchema } from '../../../core/json.ts';
import { plainWords } from '../words.ts';
import { findNumbers, type NumberMention, type Span } from './values.ts';

/** Units that are whole numbers of one another: seconds up to weeks, and months up to decades. */
const SECONDS: Readonly<Record<string, number>> = { second: 1, minute: 60, hour: 3_600, day: 86_400, week: 604_800 };
const MONTHS: Readonly<Record<string, number>> = { month: 1, year: 12, decade: 120 };
const UNIT = [...Object.keys(SECONDS), ...Object.keys(MONTHS)].join('|');
const BEHIND_NUMBER = new RegExp(String.raw`^[\s-]*(${UNIT})s?\b`, 'iu');
const ONE = new RegExp(
  String.raw`\b(?:an?|next|past|last|coming|following|upcoming)\s+(${UNIT})\b(?!\s*(?:of\b|,?\s*\d))`,
  'giu',
);
const WANTED = new RegExp(String.raw`\b(?:number of|in|of|for)\s+(?:\p{L}+\s+){0,2}?(${UNIT})s\b`, 'iu');

export type Duration = Span & { amount: number; unit: string; mention?: NumberMention };

export const findDurations = (text: string): Duration[] => {
  const said = findNumbers(text).flatMap((mention): Duration[] => {
    const unit = BEHIND_NUMBER.exec(text.slice(mention.end))?.[1]?.toLowerCase();
    const { start, end, value } = mention;
    return unit === undefined ? [] : [{ start, end, text: text.slice(start, end), amount: value, unit, mention }];
  });
  const single = [...text.matchAll(ONE)].map((match): Duration => {
    const start = match.index;
    return { start, end: start + match[0].length, text: match[0], amount: 1, unit: (match[1] ?? '').toLowerCase() };
  });
  return [...said, ...single].sort((a, b) => a.start - b.start);
};

/** The unit that a number is asked for in, by the argument's name (`days`) or its description; a `year` is none. */
export const unitOf = (name: string, schema: JsonSchema): string | undefined => {
  const named = plainWords(name).find((word) => word.endsWith('s') && UNIT.split('|').includes(word.slice(0, -1)));
  if (named !== undefined) return named.slice(0, -1);
  const description = typeof schema['description'] === 'string' ? schema['description'] : '';
  return WANTED.exec(description)?.[1]?.toLowerCase();
};

/** The amount in another unit; undefined where they have nothing to do with each other. */
export const inUnit = ({ amount, unit }: Duration, wanted: string): number | undefined => {
  for (const family of [SECONDS, MONTHS]) {
    const [from, to] = [family[unit], family[wanted]];
    if (from !== undefined && to !== undefined) return Number(((amount * from) / to).toPrecision(12));
  }
  return undefined;
};
