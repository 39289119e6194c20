/** Which of many texts hold the words of a query, and where: the rarest words count most, words as they stand before others. */
import type { Spoken } from '../../../core/transcript.ts';
import { wordsIn } from '../../../core/window/distinctive.ts';
import { excerptOf, foldedWord, type Sought } from './excerpt.ts';

export type Hit = {
  seq: number;
  role: string;
  excerpt: string;
  file?: string;
  /** In that file, from 1. */
  line?: number;
};

const HITS_MAX = 6;

/** Every space is one space. */
const folded = (text: string): string => foldedWord(text).replaceAll(/\s+/g, ' ').trim();

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
      const sought = matches.map(
        (match): Sought => ({ weight: weightOf(match), placesIn: (text) => placesOf(text, match) }),
      );
      return hitOf(of, sought);
    });
};
const keyOf = ({ term, isExact }: Match): string => `${isExact ? '=' : '~'}${term.word}`;
/** A word as it stands says more than one that begins the same, and the query as it stands more than its words. */
const EXACT_FACTOR = 2;
const PHRASE_FACTOR = 2;
const WORTH_SHARE = 0.4;

/** `line`: of the word that weighs most. */
const hitOf = ({ seq, role, text, file }: Spoken, sought: readonly Sought[]): Hit => {
  const hit = { seq, role, excerpt: excerptOf(text, sought) };
  if (file === undefined) return hit;
  const [rarest] = sought.toSorted((one, other) => other.weight - one.weight);
  const isIn = (line: string): boolean => [...(rarest?.placesIn(folded(line)) ?? [])].length > 0;
  const line = text.split('\n').findIndex(isIn);
  return { ...hit, file, ...(line < 0 ? {} : { line: line + 1 }) };
};

/** As it stands, or within other words too. */
function* placesOf(within: string, { term, isExact }: Match): Generator<number> {
  if (isExact) {
    for (const { 0: token, index } of within.matchAll(TOKENS)) if (token === term.word) yield index;
    return;
  }
  for (let at = within.indexOf(term.near); at >= 0; at = within.indexOf(term.near, at + term.near.length)) yield at;
}
