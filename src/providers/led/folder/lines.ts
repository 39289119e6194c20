/** Lines that a search of the folder found, and which of the asked words stand in them. Pure. */
import { escapedPattern } from '../../../core/escaped-pattern.ts';
import { editDistance } from '../../../core/tool/nearest-names.ts';
import { plainWords, stem } from '../words.ts';
import { type AnswerKind, type AskedWord, RELATED_LETTERS } from './asked.ts';

export type FoundLine = { path: string; line: number; text: string };

/** The rows of a report of `grep_search`; its notes are none. */
export const readFound = (report: string): FoundLine[] => {
  const found: FoundLine[] = [];
  let path: string | undefined;
  for (const row of report.split('\n')) {
    const [, line, text = ''] = /^ {2}(\d+): (.*)$/.exec(row) ?? [];
    if (line !== undefined && path !== undefined) found.push({ path, line: Number(line), text });
    else if (line === undefined) path = row.trim() === '' ? undefined : row;
  }
  return found;
};

/** The rows of a file as `read_file` numbers them. */
export const readLines = (path: string, report: string): FoundLine[] =>
  report.split('\n').flatMap((row) => {
    const [, line, text = ''] = /^\s*(\d+): ?(.*)$/.exec(row) ?? [];
    return line === undefined ? [] : [{ path, line: Number(line), text }];
  });

/** The same word, another form of it, one that begins the same way or is a slip of the keyboard away, none. */
export const MATCH = { same: 1, form: 0.9, near: 0.6, none: 0 } as const;

const SHORT_WORD = 4;
const SLIP_LETTERS = 5;
const isForm = (asked: string, word: string): boolean => {
  if (asked.length < SHORT_WORD || word.length < SHORT_WORD) return word === `${asked}s` || asked === `${word}s`;
  return stem(asked) === stem(word) && (stem(asked).length >= SHORT_WORD || word.startsWith(asked));
};

export const isSlip = (asked: string, word: string): boolean =>
  asked.length >= SLIP_LETTERS && word.length >= SLIP_LETTERS - 1 && editDistance(asked, word) === 1;

const matchWord = (asked: string, word: string, isVerb: boolean): number => {
  if (asked === word) return MATCH.same;
  if (isForm(asked, word)) return MATCH.form;
  if (isVerb && asked.length > RELATED_LETTERS && word.startsWith(asked.slice(0, RELATED_LETTERS))) return MATCH.near;
  // The parts of a compound: "beitrag" in "mitgliedsbeitrag".
  if (asked.length > SLIP_LETTERS && word.endsWith(asked)) return MATCH.near;
  return isSlip(asked, word) ? MATCH.near : MATCH.none;
};

/** How well a text names a word. */
export const matchIn = (text: string, { text: asked, role }: AskedWord): number => {
  if (/[\d_.@-]/.test(asked)) return holdsLiteral(text, asked) ? MATCH.same : MATCH.none;
  const words = plainWords(text);
  const parts = plainWords(asked);
  const best = parts.map((part) => Math.max(0, ...words.map((word) => matchWord(part, word, role === 'verb'))));
  return best.length === 0 ? MATCH.none : Math.min(...best);
};

const holdsLiteral = (text: string, asked: string): boolean => {
  const [inside, wanted] = [text.toLowerCase(), asked.toLowerCase()];
  for (let at = inside.indexOf(wanted); at >= 0; at = inside.indexOf(wanted, at + 1)) {
    const around = `${inside[at - 1] ?? ' '}${inside[at + wanted.length] ?? ' '}`;
    if (!/[\p{L}\p{N}]/u.test(around)) return true;
  }
  return false;
};

/** How months begin, in the languages of the questions. */
const MONTH =
  '(?:jan|ene|gen|feb|fév|mar|mär|apr|abr|avr|may|mai|mag|jun|juin|giu|jul|juil|lug|aug|ago|août|sep|set|oct|okt|ott|out|nov|de[cz]|dic|déc)\\p{L}{0,6}';
const CALENDAR = new RegExp(
  [
    String.raw`\b\d{4}-\d\d\b`,
    String.raw`\b\d{1,2}[./]\d{1,2}\b`,
    String.raw`\b\d{1,2}:\d\d\b`,
    String.raw`\b\d{1,2} ?(?:am|pm|h|uhr|o'clock)\b`,
    String.raw`\b\d{1,2}(?:st|nd|rd|th)\b`,
    String.raw`\b(?:19|20)\d\d\b`,
    String.raw`\b\d{1,2}\.? (?:of |de )?${MONTH}(?!\p{L})`,
    String.raw`(?<!\p{L})${MONTH}\.? \d{1,2}\b`,
    String.raw`\b(?:today|tomorrow|tonight|noon|midnight|daily|weekly|monthly|yearly)\b`,
  ].join('|'),
  'iu',
);
/** Days in the languages of the questions: short words that a date may consist of alone. */
const DAYS =
  /(?<!\p{L})(?:mon|tues?|wednes|thurs?|fri|satur|sun)days?(?!\p{L})|(?<!\p{L})(?:(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|lunes|martes|miércoles|jueves|viernes|sábados?|domingos?|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)(?!\p{L})/iu;
const NUMBER_WORDS = /\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twice|once|dozen)\b/i;

/** Does a text hold something of the kind that was asked for, beside the words of the question? */
export const holdsKind = (text: string, kind: AnswerKind, words: readonly AskedWord[]): boolean => {
  const rest = words.reduce(
    (left, { text: word }) => left.replaceAll(new RegExp(escapedPattern(word), 'giu'), ' '),
    text,
  );
  switch (kind) {
    case 'other':
      return true;
    case 'time':
      return CALENDAR.test(rest) || DAYS.test(rest);
    case 'count':
      return words.some((word) => word.role === 'noun' && word.phrase === 0 && countsIn(text, word));
    case 'number':
      return /\d/.test(rest) || NUMBER_WORDS.test(rest);
    case 'person':
      return /(?<![\p{L}\p{N}_])\p{Lu}\p{Ll}+|@/u.test(rest);
  }
};
/** "26 days", "three long days", "days: 26". */
const countsIn = (text: string, word: AskedWord): boolean => {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.some((each, at) => {
    if (matchIn(each, word) === MATCH.none) return false;
    const isNumber = (other: string | undefined): boolean =>
      other !== undefined && (/^\d+$/.test(other) || NUMBER_WORDS.test(other));
    return words.slice(Math.max(0, at - COUNT_DISTANCE), at).some(isNumber) || isNumber(words[at + 1]);
  });
};
const COUNT_DISTANCE = 3;
