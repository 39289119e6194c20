/** Which of many texts hold the words of a query, and where: the rarest words count most, words as they stand before others. */
import type { Spoken } from '../../../core/transcript.ts';
import { wordsIn } from '../../../core/window/distinctive.ts';

export type Hit = {
  seq: number;
  role: string;
  excerpt: string;
  file?: string;
  /** In that file, from 1. */
  line?: number;
};

const HITS_MAX = 6;
const EXCERPT_CHARACTERS = 500;

/** Without accents and case, so that a word is found however it was written; every space is one space. */
const folded = (text: string): string =>
  text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toUpperCase().toLowerCase().replaceAll(/\s+/g, ' ').trim();

/** A part of a query. `exact` matches it as it stands, `near` also within another word or with another ending. */
type Term = { word: string; exact: boolean; near: string; factor: number };

/**
 * Letters and digits stay together, and a word with a digit in it has no other ending; pairs of signs where there are no
 * spaces; symbols and pictographs. Besides, the whole query as it was written.
 */
const termsOf = (query: string): Term[] => {
  const whole = folded(query);
  const words = new Set(tokensOf(whole));
  const terms = [...words].flatMap((word): Term[] => {
    const parts = wordsIn(word);
    if (parts.length > 1) return parts.map((part) => ({ word: part, exact: false, near: part, factor: 1 }));
    return [{ word, exact: true, near: /\p{L}/u.test(word) && !/\p{N}/u.test(word) ? stemOf(word) : word, factor: 1 }];
  });
  const isMore = whole !== '' && !words.has(whole);
  return isMore ? [...terms, { word: whole, exact: false, near: whole, factor: PHRASE_FACTOR }] : terms;
};
const TOKENS = /[\p{L}\p{N}_]+|\p{S}+/gu;
const tokensOf = (text: string): string[] => text.match(TOKENS) ?? [];
const stemOf = (word: string): string => (word.length < 4 ? word : word.slice(0, word.length < 7 ? -1 : -2));

type Match = { term: Term; isExact: boolean };
type Found = { of: Spoken; matches: readonly Match[] };

/** Those with the rarest words first; then what the person said, and the latest. */
export const hitsIn = (texts: readonly Spoken[], query: string): Hit[] => {
  const terms = termsOf(query);
  const found: Found[] = [];
  const counts = new Map<string, number>();
  for (const of of texts) {
    const within = folded(of.text);
    const tokens = new Set(tokensOf(within));
    const matches = terms.flatMap((term): Match[] => {
      if (term.exact && tokens.has(term.word)) return [{ term, isExact: true }];
      return within.includes(term.near) ? [{ term, isExact: false }] : [];
    });
    for (const match of matches) counts.set(keyOf(match), (counts.get(keyOf(match)) ?? 0) + 1);
    if (matches.length > 0) found.push({ of, matches });
  }
  const weightOf = (match: Match): number =>
    Math.log(1 + found.length / (counts.get(keyOf(match)) ?? 1)) * (match.isExact ? EXACT_FACTOR : match.term.factor);
  const scored = found.map((hit) => ({ hit, score: hit.matches.reduce((sum, match) => sum + weightOf(match), 0) }));
  const rankOf = ({ of: { role } }: Found): number => (role === 'user' ? 0 : 1);
  scored.sort(
    (one, other) => other.score - one.score || rankOf(one.hit) - rankOf(other.hit) || other.hit.of.seq - one.hit.of.seq,
  );
  const best = scored[0]?.score ?? 0;
  return scored
    .slice(0, HITS_MAX)
    .filter(({ score }) => score >= best * WORTH_SHARE)
    .map(({ hit: { of, matches } }) => {
      const [rarest] = matches.toSorted((one, other) => weightOf(other) - weightOf(one));
      return hitOf(of, rarest);
    });
};
const keyOf = ({ term, isExact }: Match): string => `${isExact ? '=' : '~'}${term.word}`;
/** A word as it stands says more than one that begins the same, and the query as it stands more than its words. */
const EXACT_FACTOR = 2;
const PHRASE_FACTOR = 2;
const WORTH_SHARE = 0.4;

/** The place of the rarest word. */
const hitOf = ({ seq, role, text, file }: Spoken, match: Match | undefined): Hit => {
  const hit = { seq, role, excerpt: excerptOf(text, match) };
  if (file === undefined) return hit;
  const line = text.split('\n').findIndex((one) => placeOf(folded(one), match) >= 0);
  return { ...hit, file, ...(line < 0 ? {} : { line: line + 1 }) };
};

const excerptOf = (whole: string, match: Match | undefined): string => {
  const text = whole.replaceAll(/\s+/g, ' ');
  // Folding changes lengths a little: the place is near enough for an excerpt.
  const within = folded(text);
  const place = Math.max(0, placeOf(within, match)) * (text.length / Math.max(1, within.length));
  return wholeWords(text, Math.max(0, Math.floor(place - EXCERPT_CHARACTERS / 4)));
};

/** From a place on, without the halves of words at its ends, which would be read as words; where it is cut is marked. */
const wholeWords = (text: string, at: number): string => {
  const end = at + EXCERPT_CHARACTERS;
  let part = text.slice(at, end).toWellFormed();
  if (at > 0 && !isBetweenWords(text, at)) part = part.replace(FIRST_HALF, '');
  if (end < text.length && !isBetweenWords(text, end)) part = part.replace(LAST_HALF, '');
  return `${at > 0 ? '…' : ''}${part.trim()}${end < text.length ? '…' : ''}`;
};
const isBetweenWords = (text: string, at: number): boolean => text[at] === ' ' || text[at - 1] === ' ';
/** What is longer than this is no word that has to stay whole, as in scripts without spaces. */
const FIRST_HALF = /^\S{1,40} /u;
const LAST_HALF = / \S{1,40}$/u;

const placeOf = (within: string, match: Match | undefined): number => {
  if (match === undefined) return 0;
  if (!match.isExact) return within.indexOf(match.term.near);
  for (const { 0: token, index } of within.matchAll(TOKENS)) if (token === match.term.word) return index;
  return -1;
};
