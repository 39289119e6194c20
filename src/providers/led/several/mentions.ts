/** The values that a request names, in its order, as far as several calls could differ in them. */

import { escapedPattern } from '../../../core/escaped-pattern.ts';
import { overlaps, startsSentence } from '../request-facts/copy-grammar.ts';
import { findDates } from '../request-facts/dates.ts';
import { findNumbers, findPaths, findQuoted, findWords, type Span } from '../request-facts/values.ts';
import { isGrammarWord, plainWords, stem } from '../words.ts';

export type Mention = Span & { kind: 'number' | 'text' | 'date' | 'list' };

/** Words that go on inside a name: "Bank of America". */
const INSIDE_NAME = /^ (?:(?:of|de|la|von|van|the|for|in) ){0,2}$/u;
/** A state or country behind its city: "Boston, MA". */
const REGION = /^(?:\p{Lu}{2,3}|(?:\p{Lu}\.){1,3}C?\.?)$/u;

/** Between two values a list goes on: "in Paris and in the city of Rome". */
const LIST = /^[\s"'“”‘’]*(?:[,;&]|\b(?:and|or|then|y|e|et|und|oder)\b)/iu;
export const JOINTS: ReadonlySet<string> = new Set(['y', 'e', 'et', 'und', 'oder']);
const WORDS_BETWEEN = 4;

export const isListed = (gap: string): boolean => {
  const words = plainWords(gap);
  return (
    LIST.test(gap) && words.length <= WORDS_BETWEEN && words.every((word) => isGrammarWord(word) || JOINTS.has(word))
  );
};

/**
 * `known`: words (by their stem) that name what the tool does or takes, and are no value of it. `listed`: values that its
 * schema lists, which count also where they are written small.
 */
export const findMentions = (text: string, known: ReadonlySet<string>, listed: readonly string[]): Mention[] => {
  const fixed: Mention[] = findDates(text).map((date) => ({
    text: date.text,
    start: date.start,
    end: date.end,
    kind: 'date',
  }));
  const add = (spans: readonly Span[], kind: Mention['kind']): void => {
    for (const span of spans) if (!overlaps(span, fixed)) fixed.push({ ...span, kind });
  };
  add(spansOf(text, /\[[^[\]]*\]/g), 'list');
  // A request in quotes as a whole is no value.
  add(
    findQuoted(text).filter((span) => span.text.length < text.length / 2),
    'text',
  );
  add(findPaths(text), 'text');
  add(
    findNumbers(text)
      .filter(({ form }) => form === 'digits')
      .map(({ start, end }) => ({ text: text.slice(start, end), start, end })),
    'number',
  );
  for (const value of listed) add(spansOf(text, wordPattern(value)), 'text');
  add(namesIn(text, known, fixed), 'text');
  add(enumerated(text, known), 'text');
  return withRegions(
    fixed.sort((a, b) => a.start - b.start),
    text,
  );
};

const spansOf = (text: string, pattern: RegExp): Span[] =>
  [...text.matchAll(pattern)].map((match) => ({
    text: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }));

const wordPattern = (value: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}_-])${escapedPattern(value)}(?![\\p{L}\\p{N}_-])`, 'giu');

const namesIn = (text: string, known: ReadonlySet<string>, taken: readonly Span[]): Span[] => {
  const names: Span[] = [];
  for (const word of findWords(text)) {
    if (!/^\p{Lu}/u.test(word.text) || /^I\b/.test(word.text) || overlaps(word, taken)) continue;
    const isWord = isGrammarWord(word.text) || plainWords(word.text).every((part) => known.has(stem(part)));
    const last = names.at(-1);
    const joined = last !== undefined && INSIDE_NAME.test(text.slice(last.end, word.start));
    if (joined && !isGrammarWord(word.text)) {
      names[names.length - 1] = { text: text.slice(last.start, word.end), start: last.start, end: word.end };
    } else if (!isWord && !opensSentence(text, word)) names.push(word);
  }
  return names;
};

/** Single words in a list: "navy, purple and maroon"; and no verb with what it is done to. */
const ENUMERATION =
  /(?<=\s)(?:(?:an?|the)\s)?\p{Ll}[\p{Ll}-]+(?:,\s(?:(?:an?|the)\s)?\p{Ll}[\p{Ll}-]+)*,?\s(?:and|or|y|e|et|und|oder)\s(?:(?:an?|the)\s)?\p{Ll}[\p{Ll}-]+(?![\p{L}-])(?!\s(?:the|an?|it|them|this|that|my|me|us|all|to)\b)/gu;
const BEFORE_ENUMERATION = /\b(?:for|of|in|on|from|to|about|with|between|like)\s$/iu;

const enumerated = (text: string, known: ReadonlySet<string>): Span[] =>
  [...text.matchAll(ENUMERATION)].flatMap((match) => {
    const words = findWords(match[0])
      .filter((word) => !isGrammarWord(word.text) && !JOINTS.has(word.text))
      .map(({ text: word, start, end }) => ({ text: word, start: match.index + start, end: match.index + end }));
    const isValue = words.length > 1 && words.every(({ text: word }) => !known.has(stem(word)));
    return isValue && BEFORE_ENUMERATION.test(text.slice(0, match.index)) ? words : [];
  });

/** Behind a colon stands a list, and what is said before it. A key of one or two words has a value of its own. */
const LIST_BEGINS = /[^\n.!?:]+\s[^\n.!?:]+\s[^\n.!?:]+:\s*$/u;
/** A capital at a sentence's head says nothing. */
const opensSentence = (text: string, word: Span): boolean =>
  startsSentence(text, word) && !LIST_BEGINS.test(text.slice(0, word.start));

const isComma = (text: string, left: Span, right: Span): boolean => /^,\s*$/u.test(text.slice(left.end, right.start));

/** "Boston, MA" and, where every place of a list has one, "Boston, Massachusetts" are one value. */
const withRegions = (mentions: readonly Mention[], text: string): Mention[] => {
  const merged: Mention[] = [];
  for (const [index, mention] of mentions.entries()) {
    const last = merged.at(-1);
    const isText = last?.kind === 'text' && mention.kind === 'text';
    if (isText && isComma(text, last, mention) && (REGION.test(mention.text) || isPair(mentions, index, text))) {
      merged[merged.length - 1] = {
        kind: 'text',
        text: text.slice(last.start, mention.end),
        start: last.start,
        end: mention.end,
      };
    } else merged.push(mention);
  }
  return merged;
};

/** The second of two names with a comma between them, and no list of three or more around them. */
const isPair = (mentions: readonly Mention[], index: number, text: string): boolean => {
  const [first, second, next] = mentions.slice(index - 1, index + 2);
  const before = mentions[index - 2];
  if (first === undefined || second === undefined) return false;
  const follows = next?.kind === 'text' && isListed(text.slice(second.end, next.start));
  const leads = before !== undefined && before.kind === 'text' && isComma(text, before, first);
  if (leads) return false;
  if (!follows) return true;
  // "Boston, Massachusetts and Chicago, Illinois": the next name has a region of its own.
  const after = mentions[index + 2];
  return next !== undefined && after?.kind === 'text' && isComma(text, next, after) && !isComma(text, second, next);
};
