/** What a request names, and what of it the arguments written so far have used up. */
import type { JsonSchema, JsonValue } from '../../core/json.ts';
import { asSchema, schemaTypes } from './grammar.ts';
import { type CopyGrammar, type CopyOptions, copyGrammar } from './request-facts/copy-grammar.ts';
import { type DateMention, findDates, writeDate } from './request-facts/dates.ts';
import { findDurations, inUnit, unitOf } from './request-facts/durations.ts';
import { numberClaims } from './request-facts/number-claims.ts';
import {
  findNamedFolders,
  findNumberLists,
  findNumbers,
  findPaths,
  findQuoted,
  findWords,
  type NumberMention,
  type Span,
} from './request-facts/values.ts';
import { contentWords, isGrammarWord, plainWords, stem } from './words.ts';

export class RequestFacts {
  readonly text: string;
  readonly words: ReadonlySet<string>;
  readonly mentions: readonly NumberMention[];
  private readonly dateMentions: readonly DateMention[];
  private readonly allWords: readonly string[];
  private readonly numberLists: readonly NumberMention[][];
  private readonly usedSpans: Span[] = [];
  private readonly reserved = new Map<NumberMention, string>();
  /** Values that schemas list: they belong to the arguments whose schemas list them. */
  private listed: readonly Span[] = [];

  constructor(text: string) {
    this.text = text;
    this.words = new Set(contentWords(text));
    this.allWords = plainWords(text).map(stem);
    this.dateMentions = findDates(text);
    // The day of a date is no number of its own; its year may be asked for.
    this.mentions = findNumbers(text).filter(
      (mention) =>
        mention.value >= 1000 ||
        !this.dateMentions.some((date) => mention.start < date.end && date.start < mention.end),
    );
    this.numberLists = findNumberLists(text, this.mentions);
  }

  private isUsed(span: { start: number; end: number }): boolean {
    return this.usedSpans.some((used) => span.start < used.end && used.start < span.end);
  }

  unused(): NumberMention[] {
    return this.mentions.filter((mention) => !this.isUsed(mention));
  }

  /** A number that a year could be. */
  saysYear(): boolean {
    return this.mentions.some(isYearLike);
  }

  /** Numbers that no argument has used; in words only where asked for: "two" and "one" are too often no number at all. */
  spareNumbers(inWords: boolean): number {
    return this.unused().filter((mention) => inWords || mention.form === 'digits').length;
  }

  /** Numbers that stand beside an argument's own words are kept for it: "with two dice", "a height of 10". */
  reserve(names: readonly string[], properties: JsonSchema): void {
    this.reserved.clear();
    const claims = numberClaims(this.text, this.mentions, names, properties);
    for (const { name, mention } of claims) this.reserved.set(mention, name);
    const year = names.find((name) => isYear(name) && !claims.some((claim) => claim.name === name));
    const years = this.mentions.filter((mention) => isYearLike(mention) && !this.reserved.has(mention));
    if (year !== undefined && years.length === 1 && years[0] !== undefined) this.reserved.set(years[0], year);
  }

  /** What an enumeration of these arguments lists is no value of the others: the place of "Rome in celsius" is Rome. */
  reserveListed(names: readonly string[], properties: JsonSchema): void {
    const values = names.flatMap((name) => {
      const listed = asSchema(properties[name])['enum'];
      return Array.isArray(listed) ? this.named(listed) : [];
    });
    this.listed = values.flatMap((value) => placesOf(this.text, value));
  }

  /** The numbers a scalar argument could be: its own, those nobody claims, those not used yet, all of them. */
  numbers(schema: JsonSchema, type: 'integer' | 'number', name: string): number[] {
    const read = (mentions: readonly NumberMention[]): number[] =>
      [...new Set(mentions.map((mention) => valueFor(mention, schema, type)))].filter(
        (value): value is number => value !== undefined && withinBounds(value, schema),
      );
    const unused = this.unused();
    const choices = [
      unused.filter((mention) => this.reserved.get(mention) === name),
      unused.filter((mention) => !this.reserved.has(mention)),
      unused,
      this.mentions,
    ];
    return choices.map(read).find((values) => values.length > 0) ?? [];
  }

  /** The one span of time that a number could mean, in its unit. */
  duration(schema: JsonSchema, type: 'integer' | 'number', name: string): { value: number; said: number } | undefined {
    const wanted = unitOf(name, schema);
    if (wanted === undefined) return undefined;
    const found = findDurations(this.text)
      .filter((duration) => !this.isUsed(duration))
      .map((duration) => ({ value: inUnit(duration, wanted), said: duration.amount }))
      .filter((entry): entry is { value: number; said: number } => entry.value !== undefined)
      .filter(({ value }) => (type === 'number' || Number.isInteger(value)) && withinBounds(value, schema));
    return found.length === 1 ? found[0] : undefined;
  }

  useNumber(value: number): void {
    const mention = this.unused().find(
      (candidate) => candidate.value === value || (candidate.percent && Math.abs(candidate.value / 100 - value) < 1e-9),
    );
    if (mention) this.usedSpans.push({ text: '', start: mention.start, end: mention.end });
  }

  private openLists(): NumberMention[][] {
    return this.numberLists.filter((list) => list.every((mention) => !this.isUsed(mention)));
  }

  lists(): string[] {
    return this.openLists().map((list) => `[${list.map((mention) => mention.value).join(', ')}]`);
  }

  useList(text: string): void {
    const list = this.openLists().find((candidate) => `[${candidate.map((m) => m.value).join(', ')}]` === text);
    for (const mention of list ?? []) this.usedSpans.push({ text: '', start: mention.start, end: mention.end });
  }

  /** What a string argument may copy: what no argument has used yet, else everything. */
  copy(options: Omit<CopyOptions, 'used'>): CopyGrammar | undefined {
    // A date is no name: it is left to the arguments that ask for one.
    // So is a year where an argument asks for one; other numbers could be part of a text ("3x + 1").
    const years = [...this.reserved].filter(([mention, name]) => isYear(name) && isYearLike(mention));
    const yearSpans = years.map(([{ start, end }]) => ({ text: '', start, end }));
    const used = [...this.usedSpans, ...this.dateMentions, ...yearSpans, ...this.listed];
    const { own: _own, ...others } = options;
    return (
      copyGrammar(this.text, { ...options, used }) ??
      copyGrammar(this.text, { ...others, used }) ??
      copyGrammar(this.text, others)
    );
  }

  /** A text that stands behind its own name or a colon, to the end: "with the content go to bed at 9", "say this: …". */
  following(names: readonly string[]): string | undefined {
    const [colon, ...more] = [...this.text.matchAll(/(?<=[\p{L}\p{N}]):\s+(?=\S)/gu)];
    const named = findWords(this.text).filter(({ text }) => names.includes(stem(text.toLowerCase())));
    const last = named.length === 1 ? named[0] : undefined;
    const gap = /^(?:\s+(?:is|of|as|to be))?:?\s+/iu;
    const behind = last === undefined ? undefined : this.text.slice(last.end).replace(gap, '');
    const isNamed = behind !== undefined && behind !== '' && /\bwith\b[^.]*$/iu.test(this.text.slice(0, last?.start));
    if (isNamed) return ended(behind);
    return colon !== undefined && more.length === 0 ? ended(this.text.slice(colon.index + colon[0].length)) : undefined;
  }

  /** Where the next part of an enumeration begins after the value last used: "milk, eggs and bread". */
  nextInList(): number | undefined {
    const last = this.usedSpans.at(-1);
    if (last === undefined) return undefined;
    const joint = /^["'”’]?\s*(?:,\s*(?:and|or)?|and|or|&)\s+["'“‘]?(?=[\p{L}\p{N}])/iu.exec(this.text.slice(last.end));
    return joint === null ? undefined : last.end + joint[0].length;
  }

  /** Dates that say their year, or have that of another. */
  fullDates(): number {
    return this.dateMentions.filter(({ year }) => year !== undefined).length;
  }

  /** Dates, written as the description asks. */
  dates(description: string): { text: string; written: string }[] {
    return this.dateMentions
      .filter((date) => !this.isUsed(date))
      .map((date) => ({ text: date.text, written: writeDate(date, description) }));
  }

  /** What a path argument may be, best kind first; empty where the request names no file. */
  paths(): string[] {
    const open = (spans: readonly Span[]): string[] => [
      ...new Set(spans.filter((span) => !this.isUsed(span)).map((span) => span.text)),
    ];
    const written = open(findPaths(this.text));
    if (written.length > 0) return written;
    return open(findNamedFolders(this.text));
  }

  quoted(): string[] {
    return findQuoted(this.text)
      .filter((span) => !this.isUsed(span))
      .map((span) => span.text);
  }

  useText(text: string): void {
    const start = this.text.indexOf(text);
    if (start >= 0 && text.length > 0) this.usedSpans.push({ text, start, end: start + text.length });
  }

  /** The values of an enumeration that the request names, in the request's order. */
  named(values: readonly JsonValue[]): string[] {
    const found = values.filter((value): value is string => typeof value === 'string' && this.placeOf(value) >= 0);
    return [...found].sort((a, b) => this.placeOf(a) - this.placeOf(b));
  }

  /** Where the first word of a value stands among the request's words; -1 where not all its words are there. */
  placeOf(value: string): number {
    const words = plainWords(value).map(stem);
    if (words.length === 0 || !words.every((word) => this.allWords.includes(word))) return -1;
    return this.allWords.indexOf(words[0] ?? '');
  }

  /** A value stands beside the words: "csv format", "format: csv"; and no "in the database", "in which year?". */
  tells(names: readonly string[]): boolean {
    const words = findWords(this.text);
    return words.some((word, index) => {
      if (!names.includes(stem(word.text.toLowerCase()))) return false;
      const [before, next, after] = [words[index - 1], words[index + 1], words[index + 2]];
      const gap = this.text.slice(word.end, next?.start ?? this.text.length);
      if (before !== undefined && !isGrammarWord(before.text)) return true;
      if (next === undefined || /[.!?]\s/.test(gap)) return false;
      return (
        !isGrammarWord(next.text) ||
        (/^(?:is|as|to|of|be)$/iu.test(next.text) && after !== undefined && !isGrammarWord(after.text))
      );
    });
  }

  /** "not", "without" or the like stands shortly before the word. */
  isDenied(word: string): boolean {
    const place = this.allWords.indexOf(word);
    const before = plainWords(this.text).slice(Math.max(0, place - 3), Math.max(0, place));
    return before.some((entry) =>
      ['not', 'no', 'without', 'don', 'never', 'exclude', 'excluding', 'except'].includes(entry),
    );
  }
}

/** The last point of the request is no part of a text of several words. */
const ended = (text: string): string | undefined => {
  const trimmed = text.trim();
  return trimmed === '' || trimmed.includes('\n') ? undefined : trimmed.replace(/(?<=[^.])\.$/u, '');
};

/** Where a value stands as it is written, in any case. */
const placesOf = (text: string, value: string): Span[] => {
  const lower = text.toLowerCase();
  const start = lower.length === text.length ? lower.indexOf(value.toLowerCase()) : -1;
  const end = start + value.length;
  const isWhole = !/[\p{L}\p{N}]$/u.test(text.slice(0, Math.max(0, start))) && !/^[\p{L}\p{N}]/u.test(text.slice(end));
  return start >= 0 && value !== '' && isWhole ? [{ text: value, start, end }] : [];
};

export const isYear = (name: string): boolean => plainWords(name).at(-1) === 'year';
/** "In 2020". */
const isYearLike = ({ value, form, start, end }: NumberMention): boolean =>
  form === 'digits' && end - start === YEAR_DIGITS && value >= FIRST_YEAR && value <= LAST_YEAR;
const YEAR_DIGITS = 4;
const FIRST_YEAR = 1000;
const LAST_YEAR = 2100;

const withinBounds = (value: number, schema: JsonSchema): boolean => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  return (
    !(typeof minimum === 'number' && value < minimum) &&
    !(typeof maximum === 'number' && value > maximum) &&
    !(typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) &&
    !(typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum)
  );
};

/** A percentage is a share of one where a fraction is wanted, unless the description asks for percent. */
const valueFor = (mention: NumberMention, schema: JsonSchema, type: 'integer' | 'number'): number | undefined => {
  if (type === 'integer') return Number.isInteger(mention.value) ? mention.value : undefined;
  const description = typeof schema['description'] === 'string' ? schema['description'] : '';
  const asPercent = /percent|%/i.test(description) && !/decimal|fraction|0\.\d|between 0 and 1/i.test(description);
  return mention.percent && !asPercent ? Number((mention.value / 100).toPrecision(12)) : mention.value;
};

export const isNumeric = (schema: JsonSchema): boolean => ['integer', 'number'].includes(schemaTypes(schema)[0] ?? '');
