/**
 * A grammar that lets a string argument be nothing but a span of the request's own words. A small model copies badly when
 * it writes freely ("Manhattan" becomes "Manchester"); under this grammar it only chooses where to begin and to end.
 */
import { LIMITS } from '../../core/limits.ts';
import { literal } from './grammar.ts';
import { findQuoted, findWords, type Span } from './request-values.ts';
import { isGrammarWord } from './words.ts';

export type CopyGrammar = { start: string; rules: Record<string, string> };
export type CopyOptions = {
  /** Parts of the request that earlier arguments have used: nothing is copied from them again. */
  used?: readonly Span[];
  /** Words that join two values ("from Sydney to Melbourne") end a span. */
  short?: boolean;
};

/** Words that hold one name together; every other grammar word may stand between two values. */
const INNER_WORDS: ReadonlySet<string> = new Set(['of', 'the', 'and', 'a', 'an', '&']);

const inJson = (text: string): string => literal(JSON.stringify(text).slice(1, -1));
const startsSentence = (text: string, word: Span): boolean =>
  /(^|[.!?:]\s*|\n)["'“‘(]*$/u.test(text.slice(0, word.start));

/** True where a sentence ends between two words; the point of "v." or "J." ends none. */
const isBreak = (word: string, between: string): boolean =>
  /[!?;]\s|\n|["“”]/u.test(between) || (/\.\s/.test(between) && !/^(\p{L}|\p{Lu}\p{Ll}{0,2})$/u.test(word));

const overlaps = (span: Span, used: readonly Span[]): boolean =>
  used.some((other) => span.start < other.end && other.start < span.end);

/** Undefined where the request has no word left to copy. */
export const copyGrammar = (text: string, options: CopyOptions = {}): CopyGrammar | undefined => {
  const used = options.used ?? [];
  const words = findWords(text).slice(0, LIMITS.embeddedCopyWords);
  const rules: Record<string, string> = {};
  const starts: string[] = [];
  const quoted = findQuoted(text).filter((span) => !overlaps(span, used));
  for (const [index, span] of quoted.entries()) {
    rules[`q${index}`] = inJson(span.text);
    starts.push(`q${index}`);
  }
  for (let index = words.length - 1; index >= 0; index -= 1) {
    const word = words[index];
    if (word === undefined || overlaps(word, used)) continue;
    const next = words[index + 1];
    const between = next === undefined ? '' : text.slice(word.end, next.start);
    const capital = /^\p{Lu}/u.test(word.text) && !startsSentence(text, word);
    const empty = isGrammarWord(word.text) && !capital;
    const goesOn = next !== undefined && !isBreak(word.text, between) && rules[`w${index + 1}`] !== undefined;
    const joins = !empty || !options.short || INNER_WORDS.has(word.text.toLowerCase());
    const follow = goesOn && joins ? `${inJson(between)} w${index + 1}` : undefined;
    if (empty && follow === undefined) continue;
    const whole = inJson(word.text);
    const owner = /^(.+)['’]s$/u.exec(word.text)?.[1];
    const body = empty ? `${whole} ${follow}` : follow === undefined ? whole : `${whole} (${follow})?`;
    rules[`w${index}`] = owner === undefined ? body : `${inJson(owner)} | ${body}`;
    if (!empty) starts.push(`w${index}`);
  }
  return starts.length === 0 ? undefined : { start: `(${starts.join(' | ')})`, rules };
};
