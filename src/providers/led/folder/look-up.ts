/**
 * A question about the folder or its people: the words that it names are searched in the files, and the lines that name
 * them together are quoted with their file. Where there are none, that is said. Nothing is made up.
 */

import type { Plan } from '../everyday/plan.ts';
import { LED_LIMITS } from '../limits.ts';
import { type Asked, type AskedWord, askedOf, beginningOf, ENGLISH, type Language } from './asked.ts';
import { type FoundLine, MATCH, matchIn, readFound, readLines } from './lines.ts';
import { coverageOf, type Place, placesOf } from './places.ts';
import { blockAnswer, lineAnswer, notTold, type Otherwise, textLines, whyNot } from './told.ts';

type Search = {
  asked: Asked;
  found: readonly FoundLine[];
  /** Patterns that were searched for already. */
  done: readonly string[];
  otherwise: Otherwise;
};

export const lookUpPlan = (request: string, language: Language = ENGLISH, otherwise: Otherwise = notTold): Plan => {
  const { question, brought } = partsOf(request);
  const asked = searchable(askedOf(question, language), question);
  if (asked === undefined) return otherwise('');
  return broughtAnswer(asked, brought) ?? nextStep({ asked, found: [], done: [], otherwise });
};

/** Where a question names nothing but the kind of its answer ("the price"), that is what is searched. */
const searchable = (asked: Asked, request: string): Asked | undefined => {
  const words = asked.words.slice(0, LED_LIMITS.askedWords);
  if (words.some(({ role }) => role !== 'kind')) return { ...asked, words };
  // "My name": any name would be there, and none is known to be meant.
  if (words.length === 0 || /\b(?:my|your|i|you)\b/i.test(request)) return undefined;
  return { ...asked, words: words.map((word) => ({ ...word, role: 'noun' })) };
};

const nextStep = (search: Search): Plan => {
  const pattern = search.done.length < LED_LIMITS.folderSearches ? nextPattern(search) : undefined;
  if (pattern === undefined) return concluded(search);
  return {
    kind: 'call',
    call: { name: 'grep_search', arguments: { pattern, max_results: LED_LIMITS.folderSearchLines } },
    opening: '',
    next: (report) => nextStep({ ...search, ...withFound(search, readFound(report)), done: [...search.done, pattern] }),
  };
};

const withFound = ({ found }: Search, more: readonly FoundLine[]): Pick<Search, 'found'> => {
  const known = new Set(found.map(({ path, line }) => `${path}:${line}`));
  return { found: [...found, ...more.filter(({ path, line }) => !known.has(`${path}:${line}`))] };
};

/** The most telling word first: a name, then a long word; verbs last, since they are often said in other words. */
const inOrder = (words: readonly AskedWord[]): AskedWord[] => {
  const worth = ({ role, isName, text }: AskedWord): number =>
    (role === 'verb' ? 0 : 100) + (isName ? NAME_WORTH : 0) + Math.min(text.length, 90);
  return words.filter(({ role }) => role !== 'kind').sort((a, b) => worth(b) - worth(a));
};

/** A name tells as much as a word that is so much longer. */
const NAME_WORTH = 4;

const nextPattern = ({ asked, found, done }: Search): string | undefined => {
  const words = inOrder(asked.words);
  const best = placesOf(found, asked)[0];
  // One line that names everything is all there is to find.
  if (best !== undefined && words.every((word) => matchIn(best.line.text, word) > MATCH.none)) return undefined;
  const stands = (word: AskedWord): boolean => found.some(({ text }) => matchIn(text, word) > MATCH.none);
  // A mistyped word leaves nothing else to find by; one is looked for.
  const slip = words.find((word) => word.role === 'noun' && !stands(word));
  const patterns = [...words.map(beginningOf), ...(slip === undefined ? [] : halvesOf(slip))];
  return patterns.find((pattern) => !done.includes(pattern));
};

/** One slip of the keyboard leaves the first or the second half of a word as it is. */
const halvesOf = ({ text, isName }: AskedWord): string[] => {
  const lower = text.toLowerCase();
  if (lower.length < LED_LIMITS.slipWordLetters || (isName && /[\d_]/.test(text))) return [];
  const half = Math.floor(lower.length / 2);
  return [lower.slice(0, half), lower.slice(half)];
};

const concluded = ({ asked, found, otherwise }: Search): Plan => {
  const places = placesOf(found, asked);
  const [best] = places;
  const { level, missing } = coverageOf(best, asked);
  const refused = (): Plan => otherwise(whyNot(asked, found, missing));
  if (best === undefined || level === 'none') return refused();
  return lineAnswer(asked, places) ?? readAround(best, (lines) => blockAnswer(asked, best, lines) ?? refused());
};

/** The lines of a place and some that follow them. */
const readAround = (place: Place, next: (lines: readonly FoundLine[]) => Plan): Plan => {
  const first = place.lines[0]?.line ?? 1;
  const last = (place.lines.at(-1)?.line ?? first) + LED_LIMITS.linesBehind;
  const { path } = place.line;
  return {
    kind: 'call',
    call: { name: 'read_file', arguments: { path, line_start: first, line_end: last } },
    opening: '',
    next: (report) => next(readLines(path, report)),
  };
};

/** A text that came along with the question is looked at first, and no file is needed where it tells. */
const broughtAnswer = (asked: Asked, lines: readonly FoundLine[]): Plan | undefined => {
  const places = placesOf(lines, asked);
  const [best] = places;
  if (best === undefined || coverageOf(best, asked).level === 'none') return undefined;
  const first = best.lines[0]?.line ?? 1;
  return (
    lineAnswer(asked, places) ??
    blockAnswer(
      asked,
      best,
      lines.filter(({ line }) => line >= first),
    )
  );
};

/** What a text that came along tells of a question; undefined where it does not. */
export const toldByText = (question: string, text: string): Plan | undefined => {
  const asked = searchable(askedOf(question), question);
  return asked === undefined ? undefined : broughtAnswer(asked, textLines(text));
};

/** The line that asks, and the others, which are what it asks about. */
const partsOf = (request: string): { question: string; brought: FoundLine[] } => {
  const lines = request.split('\n').map((text, index): FoundLine => ({ path: 'your message', line: index + 1, text }));
  const told = lines.filter(({ text }) => text.trim() !== '');
  const question = told.slice(0, QUESTION_WITHIN).find(({ text }) => text.includes('?')) ?? told[0];
  return {
    question: question?.text ?? '',
    brought: lines.filter((line) => line !== question).slice(0, LED_LIMITS.broughtLines),
  };
};
const QUESTION_WITHIN = 3;
