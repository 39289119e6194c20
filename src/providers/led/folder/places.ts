/** Where the asked words stand together, and how much of the question such a place answers. Pure. */
import type { Asked, AskedWord } from './asked.ts';
import { type FoundLine, holdsKind, MATCH, matchIn } from './lines.ts';

export type Place = {
  /** The line that names most of what is asked. */
  line: FoundLine;
  /** Lines near it that name the rest. */
  lines: readonly FoundLine[];
  score: number;
};

/** Lines of one section are rarely farther apart. */
const NEAR_LINES = 6;
const WEIGHTS = { noun: 2, verb: 1, kind: 0.5 } as const;
/** What a word counts that stands in a line near by, or in the path. */
const NEAR_SHARE = 0.7;
const PATH_SHARE = 0.3;
const nearShare = (other: FoundLine, line: FoundLine): number =>
  NEAR_SHARE - (NEAR_SHARE / 2) * (Math.abs(other.line - line.line) / NEAR_LINES);
const KIND_BONUS = 1;
const HEADING_LOSS = 0.5;

const HEADING = /^\s*(?:#{1,6} |\[[^\]]*\]\s*$|[^:]*[:{]\s*$)/;
/** A line that only begins a section: `## Contact`, `[mail]`, `database:`. */
export const isHeading = (text: string): boolean => HEADING.test(text);
/** How deep a section lies; one that lies deeper is part of it. */
const depthOf = (text: string): number => /^(#{1,6}) /.exec(text)?.[1]?.length ?? /^\s*/.exec(text)?.[0].length ?? 0;

/** The lines of a file from the last one on that begins another section than the first line does. */
export const sameSection = (lines: readonly FoundLine[], until: number): readonly FoundLine[] => {
  const [first] = lines;
  if (first === undefined) return lines;
  const depth = isHeading(first.text) ? depthOf(first.text) : Number.POSITIVE_INFINITY;
  const cut = lines.findLastIndex(
    ({ line, text }, at) => at > 0 && line <= until && isHeading(text) && depthOf(text) <= depth,
  );
  return cut < 0 ? lines : sameSection(lines.slice(cut), until);
};

export const namesWord = (place: Place, word: AskedWord): boolean =>
  [place.line.path, ...place.lines.map(({ text }) => text)].some((text) => matchIn(text, word) > MATCH.none);

const placeAt = (line: FoundLine, all: readonly FoundLine[], { words, answer }: Asked): Place => {
  const near = all.filter(
    (other) => other.path === line.path && other !== line && Math.abs(other.line - line.line) <= NEAR_LINES,
  );
  const used = new Set<FoundLine>([line]);
  let score = (holdsKind(line.text, answer, words) ? KIND_BONUS : 0) - (isHeading(line.text) ? HEADING_LOSS : 0);
  for (const word of words) {
    const here = matchIn(line.text, word);
    const nearest = near
      .filter((other) => mayTell(other, line, word, words))
      .map((other) => ({ other, value: matchIn(other.text, word) * nearShare(other, line) }))
      .sort((a, b) => b.value - a.value)[0];
    const inPath = matchIn(line.path, word) * PATH_SHARE;
    if (here === MATCH.none && nearest !== undefined && nearest.value > inPath && word.role !== 'kind')
      used.add(nearest.other);
    score += WEIGHTS[word.role] * Math.max(here, nearest?.value ?? 0, inPath);
  }
  return { line, lines: [...used].sort((a, b) => a.line - b.line), score };
};

/**
 * What begins a section tells what lies below it. Words of one phrase stand in one line, or such a line says the rest:
 * `database:` … `port: 1`.
 */
const mayTell = (other: FoundLine, line: FoundLine, word: AskedWord, words: readonly AskedWord[]): boolean =>
  isHeading(other.text)
    ? other.line < line.line
    : !words.some(
        (each) => each !== word && each.phrase === word.phrase && each.role === 'noun' && matchIn(line.text, each) > 0,
      );

/** The best places, best first; those that are equally good stay in the order of the files. */
export const placesOf = (all: readonly FoundLine[], asked: Asked): Place[] =>
  all
    .filter(({ text }) => asked.words.some((word) => word.role !== 'kind' && matchIn(text, word) > MATCH.none))
    .map((line) => placeAt(line, all, asked))
    .sort((a, b) => b.score - a.score);

export type Coverage = {
  /** Everything that has to stand there does; most of it does; too little does. */
  level: 'whole' | 'part' | 'none';
  missing: readonly string[];
};

/**
 * A phrase is its last word, told closer by those before it: a "refund policy" is not just any policy, while a line on the
 * "abstract" may well say when the "abstract" is "due".
 */
export const coverageOf = (place: Place | undefined, { words }: Asked): Coverage => {
  const stands = (word: AskedWord): boolean => place !== undefined && namesWord(place, word);
  const nouns = words.filter(({ role }) => role === 'noun');
  const verbs = words.filter(({ role }) => role === 'verb');
  const missing: string[] = [];
  const phrases = [...new Set(nouns.map((word) => word.phrase))];
  let covered = 0;
  for (const phrase of phrases) {
    const inside = nouns.filter((word) => word.phrase === phrase);
    const there = inside.filter(stands);
    const isTold = inside.slice(0, -1).every(stands);
    if (isTold && there.length > 0) covered += 1;
    if (there.length < inside.length)
      missing.push((isTold ? inside.slice(-1) : inside).map(({ text }) => text).join(' '));
  }
  const lost = verbs.filter((verb) => !stands(verb)).map(({ text }) => text);
  if (nouns.length === 0) {
    return lost.length === 0 && verbs.length > 0 ? { level: 'whole', missing: [] } : { level: 'none', missing: lost };
  }
  if (covered * 2 <= phrases.length) return { level: 'none', missing };
  const all = [...missing, ...lost];
  return { level: all.length === 0 ? 'whole' : 'part', missing: all };
};
