/** What a request names, and what of it the arguments written so far have used up. */
import type { JsonSchema, JsonValue } from '../../core/json.ts';
import { type CopyGrammar, copyGrammar } from './copy-grammar.ts';
import { schemaTypes } from './grammar.ts';
import { findNumberLists, findNumbers, type NumberMention, type Span } from './request-values.ts';
import { contentWords, plainWords, stem } from './words.ts';

export class RequestFacts {
  readonly text: string;
  readonly words: ReadonlySet<string>;
  readonly mentions: readonly NumberMention[];
  private readonly allWords: readonly string[];
  private readonly numberLists: readonly NumberMention[][];
  private readonly usedSpans: Span[] = [];

  constructor(text: string) {
    this.text = text;
    this.words = new Set(contentWords(text));
    this.allWords = plainWords(text).map(stem);
    this.mentions = findNumbers(text);
    this.numberLists = findNumberLists(text, this.mentions);
  }

  private isUsed(span: { start: number; end: number }): boolean {
    return this.usedSpans.some((used) => span.start < used.end && used.start < span.end);
  }

  unused(): NumberMention[] {
    return this.mentions.filter((mention) => !this.isUsed(mention));
  }

  /** Numbers in digits that no argument has used: "two" and "one" are too often no number at all. */
  spareNumbers(): number {
    return this.unused().filter((mention) => mention.form === 'digits').length;
  }

  /** The numbers a scalar argument could be: those not used yet, else all of them. */
  numbers(schema: JsonSchema, type: 'integer' | 'number'): number[] {
    const read = (mentions: readonly NumberMention[]): number[] =>
      [...new Set(mentions.map((mention) => valueFor(mention, schema, type)))].filter(
        (value): value is number => value !== undefined && withinBounds(value, schema),
      );
    const fresh = read(this.unused());
    return fresh.length > 0 ? fresh : read(this.mentions);
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
  copy(short: boolean): CopyGrammar | undefined {
    return copyGrammar(this.text, { used: this.usedSpans, short }) ?? copyGrammar(this.text, { short });
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

  /** "not", "without" or the like stands shortly before the word. */
  isDenied(word: string): boolean {
    const place = this.allWords.indexOf(word);
    const before = plainWords(this.text).slice(Math.max(0, place - 3), Math.max(0, place));
    return before.some((entry) =>
      ['not', 'no', 'without', 'don', 'never', 'exclude', 'excluding', 'except'].includes(entry),
    );
  }
}

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
