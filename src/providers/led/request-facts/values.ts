/**
 * What a request itself names: numbers in digits or words, lists of numbers, quoted strings, dates, and the spans of words
 * that an argument could be copied from. A small model points at these far better than it writes them.
 */

import { isGrammarWord } from '../words.ts';

export type NumberMention = {
  value: number;
  start: number;
  end: number;
  percent: boolean;
  /** `3 pm`, `5th`, `twenty`: how it was written, where that matters. */
  form: 'digits' | 'word';
};

const UNITS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const SCALES: Readonly<Record<string, number>> = {
  dozen: 12,
  hundred: 100,
  thousand: 1e3,
  million: 1e6,
  billion: 1e9,
  trillion: 1e12,
};
const LETTER_SCALES: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, b: 1e9 };
const unitPattern = UNITS.join('|');
const tensPattern = TENS.join('|');
const scalePattern = Object.keys(SCALES).join('|');
const WORD_NUMBER = new RegExp(
  String.raw`\b(?:(${tensPattern})(?:[- ](${unitPattern}))?|(${unitPattern}))((?:\s+(?:${scalePattern}))*)\b`,
  'giu',
);
const DIGIT_NUMBER = new RegExp(
  String.raw`(?<![\p{L}\p{N}_^]|\d\.)([-−](?=[\d.]))?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?:e([+-]?\d{1,3}))?(\s*%|\s+percent\b)?([kKMB](?![\p{L}\p{N}])|(?:\s+(?:${scalePattern}))*)`,
  'giu',
);

const scaleOf = (words: string): number =>
  words
    .toLowerCase()
    .trim()
    .split(/\s+/)
    .reduce((product, word) => product * (SCALES[word] ?? 1), 1);
/** The last few characters before a place: what stands further back is another matter, and would be read again each time. */
const before = (text: string, at: number): string => text.slice(Math.max(0, at - LOOK_BEHIND), at);
const LOOK_BEHIND = 4;
/** 0.1 * 3 and the like written without the noise of binary fractions. */
const tidy = (value: number): number => Number(value.toPrecision(12));

/** Numbers in the order of the text. */
export const findNumbers = (text: string): NumberMention[] => {
  const found: NumberMention[] = [];
  // Inside square brackets a comma parts two numbers, and is never one of thousands.
  const parted = text.replace(/\[[^\]]{0,1000}\]/g, (list) => list.replaceAll(',', ';'));
  for (const match of parted.matchAll(DIGIT_NUMBER)) {
    const [whole, sign, digits = '', exponent, percent, scales = ''] = match;
    // "$1.2M" is money; "5 M" and "100 m" are units. A small "k" is a thousand anywhere, "298K" is a temperature.
    const isMoney = /[$€£¥]\s?$/.test(before(text, match.index));
    const letter =
      /^[kKMB]$/.test(scales) && (isMoney || scales === 'k') ? LETTER_SCALES[scales.toLowerCase()] : undefined;
    const size = Number(digits.replaceAll(',', '')) * 10 ** Number(exponent ?? 0) * (letter ?? scaleOf(scales));
    // A dash between two numbers or letters joins them ("2019-2020"); it is no sign.
    const negative = sign !== undefined && !/[\p{L}\p{N})\]]$/u.test(before(text, match.index));
    found.push({
      value: tidy(negative ? -size : size),
      start: match.index + (sign !== undefined && !negative ? 1 : 0),
      end: match.index + whole.length,
      percent: percent !== undefined,
      form: 'digits',
    });
  }
  for (const match of text.matchAll(WORD_NUMBER)) {
    const [whole, tens, unitAfter, unit, scales = ''] = match;
    const base =
      tens === undefined
        ? UNITS.indexOf((unit ?? '').toLowerCase())
        : (TENS.indexOf(tens.toLowerCase()) + 2) * 10 +
          (unitAfter === undefined ? 0 : UNITS.indexOf(unitAfter.toLowerCase()));
    found.push({
      value: base * scaleOf(scales),
      start: match.index,
      end: match.index + whole.length,
      percent: /^\s*(%|percent\b)/i.test(text.slice(match.index + whole.length)),
      form: 'word',
    });
  }
  return found.sort((a, b) => a.start - b.start);
};

/** Runs of two or more numbers with nothing but commas, "and" or blanks between: `[3, 5, 7]`, `(3,4)`, `3, 5 and 7`. */
export const findNumberLists = (text: string, numbers: readonly NumberMention[]): NumberMention[][] => {
  const lists: NumberMention[][] = [];
  let run: NumberMention[] = [];
  for (const mention of numbers) {
    const last = run.at(-1);
    if (last && /^\s*(,|;|,?\s*\band\b|\s)\s*$/i.test(text.slice(last.end, mention.start))) {
      run.push(mention);
      continue;
    }
    if (run.length > 1) lists.push(run);
    run = [mention];
  }
  if (run.length > 1) lists.push(run);
  return lists;
};

const QUOTED =
  /"([^"\n]{1,500})"|“([^”\n]{1,500})”|`([^`\n]{1,500})`|(?<![\p{L}\p{N}])'((?:[^'\n]|(?<=\p{L})'(?=\p{L})){1,500})'(?![\p{L}\p{N}])/gu;

export type Span = { text: string; start: number; end: number };

export const findQuoted = (text: string): Span[] =>
  [...text.matchAll(QUOTED)].map((match) => ({
    text: match[1] ?? match[2] ?? match[3] ?? match[4] ?? '',
    start: match.index + 1,
    end: match.index + match[0].length - 1,
  }));

const CLOSED_BY: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** A word without the marks behind it; a bracket stays where it closes one of the word ("f(x)"). */
const withoutEnd = (word: string): string => {
  const opened = new Map(Object.values(CLOSED_BY).map((opening) => [opening, word.indexOf(opening)]));
  let end = word.length;
  for (; end > 0; end -= 1) {
    const last = word.charAt(end - 1);
    const at = opened.get(CLOSED_BY[last] ?? '');
    const isMark = at === undefined ? MARKS_BEHIND.includes(last) : at < 0 || at >= end;
    if (!isMark) break;
  }
  return word.slice(0, end);
};
const MARKS_BEHIND = '"\'“”‘’`>»,;:!?.';

/** Words as they stand, with the marks inside them (`notes.txt`, `2x^2`), without those around them. */
export const findWords = (text: string): Span[] =>
  [...text.matchAll(/\S+/gu)].flatMap((match) => {
    const head = /^["'“”‘’`([{<«,;:!?¿¡]*/u.exec(match[0])?.[0].length ?? 0;
    const body = withoutEnd(match[0].slice(head));
    const start = match.index + head;
    return body.length === 0 ? [] : [{ text: body, start, end: start + body.length }];
  });

const PATH =
  /(?<![\p{L}\p{N}_/.@-])(?:~?\.{0,2}\/)?(?:[\p{L}\p{N}_@.-]+\/)*(?:[\p{L}\p{N}_-][\p{L}\p{N}_.-]*\.[a-z][a-z0-9]{0,5}|[\p{L}\p{N}_-]+\/[\p{L}\p{N}_.-]+\/?|\.[a-z]{2,}[a-z0-9]*)(?![\p{L}\p{N}_@/])/gu;

/** Names of files and folders: with an ending (`notes.txt`) or a slash (`src/main`), and no address or fraction. */
export const findPaths = (text: string): Span[] =>
  [...text.matchAll(PATH)]
    .map((match) => ({ text: match[0], start: match.index, end: match.index + match[0].length }))
    .filter((span) => !/^\d+\/\d+/.test(span.text) && text[span.start - 1] !== ':' && span.text !== 'and/or');

/** The text with something else in place of these spans; of two that overlap, the one that begins first, or is longer. */
export const withoutSpans = (text: string, spans: readonly Span[], put: (span: Span) => string): string => {
  const parts: string[] = [];
  let end = 0;
  for (const span of spans.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    if (span.start < end) continue;
    parts.push(text.slice(end, span.start), put(span));
    end = span.end;
  }
  return [...parts, text.slice(end)].join('');
};

/** The request without the values in it, for questions of what it is about: `todo.md` speaks of a file, not of to-dos. */
export const withoutValues = (text: string): string => {
  const quoted = findQuoted(text).filter((span) => span.text.length < text.length / 2);
  return withoutSpans(text, [...quoted, ...findPaths(text)], (span) =>
    findPaths(span.text)[0]?.text === span.text ? ' file ' : ' ',
  );
};

const FOLDER_AFTER = /\b(?:folder|directory|dir|file)\s+(?:(?:named|called)\s+)?([\p{L}\p{N}_.-]+)/giu;
const FOLDER_BEFORE = /([\p{L}\p{N}_.-]{1,255})\s+(?:folder|directory|dir|subfolder|subdirectory)\b/giu;
/** Words that stand before or after "folder" without being its name. */
const NO_NAME: ReadonlySet<string> = new Set(
  `absolute active actual base containing current entire first full given home last local main new open own parent
  present project right root same single sub top whole work working workspace contents content listing tree path`.split(
    /\s+/,
  ),
);

/** Folders and files that are named without looking like a path: "the src folder", "the file called notes". */
export const findNamedFolders = (text: string): Span[] =>
  [FOLDER_AFTER, FOLDER_BEFORE].flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const name = (match[1] ?? '').replace(/[.-]+$/, '');
      const start = match.index + match[0].indexOf(name);
      const isName = name.length > 0 && !isGrammarWord(name) && !NO_NAME.has(name.toLowerCase());
      return isName ? [{ text: name, start, end: start + name.length }] : [];
    }),
  );

/** The first JSON object that the request holds, also one with single quotes. */
export const findObject = (text: string): { [key: string]: unknown } | undefined => {
  const literal = /\{[^{}]*\}/.exec(text)?.[0];
  if (literal === undefined) return undefined;
  for (const attempt of [literal, literal.replaceAll("'", '"')]) {
    try {
      return JSON.parse(attempt) as { [key: string]: unknown };
    } catch {
      // The other spelling, then none.
    }
  }
  return undefined;
};
