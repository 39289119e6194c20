/**
 * A grammar that lets a string argument be nothing but a span of the request's own words. A small model copies badly when
 * it writes freely ("Manhattan" becomes "Manchester"); under this grammar it only chooses where to begin and to end.
 */

import { literal } from '../grammar.ts';
import { LED_LIMITS } from '../limits.ts';
import { isGrammarWord, stem } from '../words.ts';
import { findQuoted, findWords, type Span } from './values.ts';

export type CopyGrammar = {
  start: string;
  rules: Record<string, string>;
  /** What the grammar lets through, the shorter first: for engines that take no grammar. Cut where it is very much. */
  readonly texts: string[];
};
export type CopyOptions = {
  /** Parts of the request that earlier arguments have used: nothing is copied from them again. */
  used?: readonly Span[];
  /** Words that join two values ("from Sydney to Melbourne") end a span. */
  short?: boolean;
  /** Words (by their stem) that are no value at the head of a sentence: "Read notes" names the tool first. */
  notFirst?: ReadonlySet<string>;
  /** Words (by their stem) of the argument's own name, which are no part of its value: the type of "theft crimes" is theft. */
  own?: ReadonlySet<string>;
  /** A name goes on over a comma: "Oslo, Norway" where a place is asked for with its country. */
  placed?: boolean;
  /** The value is one of a list: commas and "and" end it. */
  item?: boolean;
  /** Only a span that begins here. */
  from?: number;
};

/** After a command's verb stands what it is about: "Find the …", "Show me …". */
const AFTER_VERB: ReadonlySet<string> = new Set(
  'the a an me my us our all any some this that these those how if whether out for about what which'.split(' '),
);

/** Words that hold one name together; every other grammar word may stand between two values. */
const INNER_WORDS: ReadonlySet<string> = new Set(['of', 'the', 'and', 'a', 'an', '&']);

/** The person, who is written like a name. */
const SPEAKER = /^I(?:['’]\p{Ll}+)?$/u;
/** "ID" is written like a name as well. */
const isAbbreviation = (word: string): boolean => /^\p{Lu}{2,4}$/u.test(word);

const inJson = (text: string): string => literal(JSON.stringify(text).slice(1, -1));
export const startsSentence = (text: string, word: Span): boolean =>
  /(^|[.!?:]\s*|\n)["'“‘(]*$/u.test(text.slice(0, word.start));

/** True where a sentence ends between two words; the point of "v." or "J." ends none. */
const isBreak = (word: string, between: string): boolean =>
  /[!?;]\s|\n|["“”]/u.test(between) || (/\.\s/.test(between) && !/^(\p{L}|\p{Lu}\p{Ll}{0,2})$/u.test(word));

export const overlaps = (span: Span, used: readonly Span[]): boolean =>
  used.some((other) => span.start < other.end && other.start < span.end);

/** In a very long request the values stand with what is asked, at its beginning or its end. */
const isPassedOver = (index: number, count: number): boolean =>
  index >= LED_LIMITS.ledCopyWords && index < count - LED_LIMITS.ledCopyWords;
export const passesOver = (text: string): boolean => findWords(text).length > 2 * LED_LIMITS.ledCopyWords;

/** Undefined where the request has no word left to copy. */
export const copyGrammar = (text: string, options: CopyOptions = {}): CopyGrammar | undefined => {
  const used = options.used ?? [];
  const words = findWords(text);
  const rules: Record<string, string> = {};
  const spans = new Map<string, CopySpan>();
  const starts: string[] = [];
  const aboutTool = new Set<string>();
  const quoted = findQuoted(text).filter((span) => !overlaps(span, used));
  for (const [index, span] of quoted.entries()) {
    rules[`q${index}`] = inJson(span.text);
    spans.set(`q${index}`, { text: span.text, ends: true });
    if (options.from === undefined || span.start === options.from) starts.push(`q${index}`);
  }
  const isName = (word: Span | undefined): boolean =>
    word !== undefined &&
    /^\p{Lu}/u.test(word.text) &&
    !SPEAKER.test(word.text) &&
    !startsSentence(text, word) &&
    !overlaps(word, used);
  const isOwn = (word: Span | undefined): boolean =>
    word !== undefined &&
    (!isName(word) || isAbbreviation(word.text)) &&
    options.own?.has(stem(word.text.toLowerCase())) === true;
  const isJoint = (between: string): boolean => between === ' ' || (options.placed === true && between === ', ');
  const gap = (index: number): string => text.slice(words[index]?.end ?? 0, words[index + 1]?.start ?? 0);
  for (let index = words.length - 1; index >= 0; index -= 1) {
    const word = words[index];
    if (word === undefined || isPassedOver(index, words.length) || overlaps(word, used)) continue;
    if (isOwn(word)) continue;
    const next = words[index + 1];
    const between = next === undefined ? '' : gap(index);
    const isFirst = startsSentence(text, word);
    const owner = /^(.+)['’]s$/u.exec(word.text)?.[1];
    const plain = isGrammarWord(owner ?? word.text) || SPEAKER.test(word.text);
    const empty = plain && !isName(word);
    const namesTool =
      isFirst &&
      (options.notFirst?.has(stem(word.text.toLowerCase())) === true || AFTER_VERB.has(next?.text.toLowerCase() ?? ''));
    const ends = isBreak(word.text, between) || (options.item === true && /[,&]/.test(between));
    const goesOn = next !== undefined && !ends && rules[`w${index + 1}`] !== undefined;
    const joins =
      !empty ||
      (!options.short && !options.item) ||
      (INNER_WORDS.has(word.text.toLowerCase()) && !(options.item && /^(and|or)$/i.test(word.text)));
    const follow = goesOn && joins ? `${inJson(between)} w${index + 1}` : undefined;
    if (empty && follow === undefined) continue;
    const whole = inJson(word.text);
    // A name is copied whole: "Premier League" is not cut before or after its first word.
    const inName = follow !== undefined && isName(word) && isName(next) && isJoint(between);
    const body = empty || inName ? `${whole} ${follow}` : follow === undefined ? whole : `${whole} (${follow})?`;
    rules[`w${index}`] = owner === undefined || plain ? body : `${inJson(owner)} | ${body}`;
    spans.set(`w${index}`, {
      text: word.text,
      ends: !empty && !inName,
      ...(owner === undefined || plain ? {} : { owner }),
      ...(follow === undefined ? {} : { next: { between, name: `w${index + 1}` } }),
    });
    const last = words[index - 1];
    const insideName = isName(word) && isName(last) && !isOwn(last) && isJoint(gap(index - 1));
    if (empty || namesTool || insideName) continue;
    if (!isName(word) && options.notFirst?.has(stem(word.text.toLowerCase()))) aboutTool.add(`w${index}`);
    if (options.from === undefined || word.start === options.from) starts.push(`w${index}`);
  }
  // What the tool itself is about is no value of it, while anything else is there: "search the files for maple".
  const values = starts.filter((start) => !aboutTool.has(start));
  if (values.length > 0) starts.splice(0, starts.length, ...values);
  if (starts.length === 0) return undefined;
  return {
    start: `(${starts.join(' | ')})`,
    rules,
    get texts() {
      return textsOf(spans, starts);
    },
  };
};

/** A word, whether a value may end with it, and what it goes on with. */
type CopySpan = { text: string; ends: boolean; owner?: string; next?: { between: string; name: string } };

/** Word by word further from every start, so that a limit cuts the longest. */
const textsOf = (spans: ReadonlyMap<string, CopySpan>, starts: readonly string[]): string[] => {
  const found = new Set<string>();
  let open = starts.map((name) => ({ before: '', name }));
  while (open.length > 0 && found.size < LED_LIMITS.ledCopySpans) {
    open = open.flatMap(({ before, name }) => {
      const span = spans.get(name);
      if (span === undefined) return [];
      if (span.owner !== undefined) found.add(before + span.owner);
      if (span.ends) found.add(before + span.text);
      return span.next === undefined ? [] : [{ before: before + span.text + span.next.between, name: span.next.name }];
    });
  }
  return [...found].slice(0, LED_LIMITS.ledCopySpans);
};
