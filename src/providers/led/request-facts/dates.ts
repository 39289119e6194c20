/** Dates that a request writes with a month's name or as a machine does, and how a machine writes them. */
import type { Span } from './values.ts';

export type DateMention = Span & { year?: number; month: number; day: number };

const MONTHS = 'january february march april may june july august september october november december'.split(' ');
const month = String.raw`(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?`;
const day = String.raw`(\d{1,2})(?:st|nd|rd|th)?`;
const year = String.raw`(\d{4})`;
/** Each with the places of year, month and day among its groups. */
const FORMS: readonly [RegExp, [year: number, month: number, day: number]][] = [
  [new RegExp(String.raw`\b${year}[,\s]+${month}\s+${day}\b`, 'giu'), [1, 2, 3]],
  [new RegExp(String.raw`\b${month}\s*${day}(?:,?\s+${year})?\b`, 'giu'), [3, 1, 2]],
  [new RegExp(String.raw`\b${day}\s+(?:of\s+)?${month}(?:,?\s+${year})?\b`, 'giu'), [3, 2, 1]],
  [/(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?![\d-])/gu, [1, 2, 3]],
];

/** By its name or its number; 0 where there is none of it. */
const monthNumber = (text: string): number => {
  if (/^\d+$/.test(text)) return Number(text) <= MONTHS.length ? Number(text) : 0;
  const name = text.toLowerCase().slice(0, 3);
  return MONTHS.findIndex((candidate) => candidate.startsWith(name)) + 1;
};

/** In the order of the text; one without a year has that of the others. */
export const findDates = (text: string): DateMention[] => {
  const found: DateMention[] = [];
  for (const [form, places] of FORMS) {
    for (const match of text.matchAll(form)) {
      const start = match.index;
      const end = start + match[0].length;
      if (found.some((other) => start < other.end && other.start < end)) continue;
      const number = monthNumber(match[places[1]] ?? '');
      const dayNumber = Number(match[places[2]]);
      if (number === 0 || dayNumber < 1 || dayNumber > 31) continue;
      const yearText = match[places[0]];
      found.push({
        text: match[0],
        start,
        end,
        month: number,
        day: dayNumber,
        ...(yearText === undefined ? {} : { year: Number(yearText) }),
      });
    }
  }
  const known = found.find((date) => date.year !== undefined)?.year;
  return found
    .sort((a, b) => a.start - b.start)
    .map((date) => (date.year === undefined && known !== undefined ? { ...date, year: known } : date));
};

/** In the form that the description asks for (`MM/DD/YYYY`), else ISO 8601; as it stands where there is no year. */
export const writeDate = (date: DateMention, description: string): string => {
  if (date.year === undefined) return date.text;
  const values: Record<string, string> = {
    y: String(date.year),
    m: String(date.month).padStart(2, '0'),
    d: String(date.day).padStart(2, '0'),
  };
  const wanted = /\b(y{4}|m{2}|d{2})([-/.])(m{2}|d{2})\2(y{4}|d{2}|m{2})\b/i.exec(description);
  const parts = wanted ? [wanted[1], wanted[3], wanted[4]] : ['y', 'm', 'd'];
  return parts.map((part) => values[(part ?? 'y').slice(0, 1).toLowerCase()]).join(wanted?.[2] ?? '-');
};

export const isDateArgument = (name: string, description: string): boolean =>
  /(^|[^a-z])(date|day|birthday|dob)($|[^a-z])/i.test(name.replace(/([a-z])([A-Z])/g, '$1_$2')) ||
  /\b(y{4}[-/.]m{2}|m{2}[-/.]d{2}|d{2}[-/.]m{2})/i.test(description);
