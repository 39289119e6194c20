/**
 * What speaks for each candidate: its words, each place with its own weight; its name, in other words too; its kind and
 * its file.
 */
import type { Candidate } from './candidates.ts';
import { FITTED } from './fitted-weights.ts';
import type { Ranking } from './fuse.ts';
import { ownName, type Places, placesOf } from './places.ts';
import type { QueryWords } from './query-words.ts';
import { BY_HAND, FEATURES, type Features, type WeightsFor, weightOf } from './weights.ts';
import { type Direction, nearness, type WordVectors, wordVectors } from './word-vectors.ts';

export type Weighed = { candidate: Candidate; features: Features };

/** How much a word counts in each place, of words about so many, and how much a longer one takes away. */
const PLACES = {
  own: { weight: 3, length: 2.3, norm: 0.6 },
  outer: { weight: 3.5, length: 1.2, norm: 0.3 },
  path: { weight: 0.5, length: 5, norm: 0.3 },
  head: { weight: 0.7, length: 14, norm: 0.8 },
  /** By hand: the comments of what is fitted on were taken out of it, for they are the questions. */
  comment: { weight: 1, length: 20, norm: 0.7 },
  body: { weight: 0.3, length: 80, norm: 0.8 },
} as const;

const TEST_FILE = /(?:^|[/_.-])(?:tests?|specs?|__tests__|testdata)(?:[/_.-]|$)/i;
const TYPES: ReadonlySet<string> = new Set(['class', 'interface', 'type', 'enum', 'implementation', 'module']);
const DOES: ReadonlySet<string> = new Set(['function', 'method', 'macro']);
/** A word of so many letters that begins another may be its short form. */
const SHORT_FORM = 3;
/** And says less than the word. */
const SHORT_FORM_SAYS = 0.6;

export const isFunction = ({ kind, path }: Candidate): boolean => DOES.has(kind) && !TEST_FILE.test(path);

/** A long function's pieces and one's overloads are one answer, the best of them. */
export const functionOf = ({ id, path, symbol, kind }: Candidate): string | number =>
  DOES.has(kind) && symbol !== '' ? `${path}\n${symbol}` : id;

/** A question as it is held against each candidate. */
const readAsked = ({ words, first }: QueryWords) => {
  const weights = new Map(words.map(({ stem, weight }) => [stem, weight]));
  const total = words.reduce((sum, { weight }) => sum + weight, 0) || 1;
  return {
    weights,
    total,
    said(list: readonly string[]): number {
      let sum = 0;
      for (const word of new Set(list)) sum += weights.get(word) ?? 0;
      return sum / total;
    },
    /** `config` is begun by "configuration", "parameters" by `param`. */
    begunBy(own: string): number {
      let best = 0;
      for (const { stem, weight } of words) {
        const [short, long] = stem.length < own.length ? [stem, own] : [own, stem];
        if (short.length >= SHORT_FORM && short.length < long.length && long.startsWith(short)) {
          best = Math.max(best, weight);
        }
      }
      return best;
    },
    beginsAlike: (verb: string | undefined, vectors: WordVectors | null): number =>
      verb === undefined || first === undefined ? 0 : verb === first ? 1 : (vectors?.likeness(first, verb) ?? 0),
  };
};
type Asked = ReturnType<typeof readAsked>;

/** BM25 over places, each with its own length: a word of a name says more than one of many in a body. */
const wordsIn = (asked: Asked, places: Places): number => {
  const counts = new Map<string, number>();
  for (const key of Object.keys(PLACES) as (keyof typeof PLACES)[]) {
    const { weight, length, norm } = PLACES[key];
    const each = weight / (1 - norm + (norm * places[key].length) / length);
    for (const word of places[key]) if (asked.weights.has(word)) counts.set(word, (counts.get(word) ?? 0) + each);
  }
  let sum = 0;
  for (const [word, times] of counts) sum += ((asked.weights.get(word) ?? 0) * times) / (1 + times);
  return sum / asked.total;
};

const nameEvidence = (asked: Asked, own: readonly string[]): Pick<Features, 'alike' | 'begun'> => {
  let alike = 0;
  let begun = 0;
  for (const word of own) {
    const short = asked.weights.has(word) ? 0 : asked.begunBy(word);
    begun += short;
    alike += asked.weights.has(word) ? 1 : short > 0 ? SHORT_FORM_SAYS : 0;
  }
  return { alike: alike / Math.max(1, own.length), begun: begun / asked.total };
};

const familyOf = ({ path, symbol, kind }: Candidate): string => {
  const dot = symbol.lastIndexOf('.');
  return `${path}\n${dot >= 0 ? symbol.slice(0, dot) : TYPES.has(kind) ? symbol : ''}`;
};

/** What the best four of a group say together, the best of them most. */
const SHARES = [1, 1 / 2, 1 / 3, 1 / 4];
const together = (
  weighed: readonly Weighed[],
  keyOf: (candidate: Candidate) => string,
  what: 'words' | 'near',
): Map<string, number> => {
  const groups = new Map<string, number[]>();
  for (const { candidate, features } of weighed) {
    const key = keyOf(candidate);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [features[what]]);
    else group.push(features[what]);
  }
  const sums = [...groups].map(([key, scores]): [string, number] => {
    scores.sort((a, b) => b - a);
    return [key, SHARES.reduce((sum, share, at) => sum + share * (scores[at] ?? 0), 0) / 2];
  });
  return new Map(sums);
};

/** How near a part points to where the question does; of no part does it say anything where nothing was learned. */
const nearEvidence = (
  vectors: WordVectors | null,
  asked: Direction | undefined,
  places: Places,
): Pick<Features, 'near' | 'nearName' | 'nearHead'> => {
  if (vectors === null || asked === undefined) return { near: 0, nearName: 0, nearHead: 0 };
  const { all, name, head } = vectors.ofPart(places);
  return { near: nearness(asked, all), nearName: nearness(asked, name), nearHead: nearness(asked, head) };
};

export type Lately = { recent: readonly string[]; now?: number };

/** So long after it was changed, half as much speaks for a file. */
const HALF_MS = 7 * 24 * 3_600_000;
const recency = ({ path, modifiedMs }: Candidate, { recent, now }: Lately): number => {
  const place = recent.indexOf(path);
  const spoken = place < 0 ? 0 : 1 / (1 + place / 4);
  const age = now === undefined ? Number.POSITIVE_INFINITY : modifiedMs < 0 ? 0 : Math.max(0, now - modifiedMs);
  return (spoken + 2 ** (-age / HALF_MS)) / 2;
};

export const gatherEvidence = (
  pool: readonly Candidate[],
  query: QueryWords,
  lately: Lately = { recent: [] },
): Weighed[] => {
  const asked = readAsked(query);
  const vectors = wordVectors();
  const direction = vectors?.ofQuestion(query.words.map(({ stem }) => stem));
  const written = new Set(query.names);
  const weighed = pool.map((candidate): Weighed => {
    const { symbol, kind, path, language, lineStart, lineEnd, symbolStart } = candidate;
    const name = ownName(symbol);
    const places = placesOf(candidate);
    const does = DOES.has(kind) || language === 'prose';
    const features: Features = {
      words: wordsIn(asked, places),
      ...nameEvidence(asked, places.own),
      verb: asked.beginsAlike(places.own[0], vectors),
      written: written.has(name) ? 1 : 0,
      head: asked.said(places.head),
      path: asked.said(places.path),
      ...nearEvidence(vectors, direction, places),
      nearFamily: 0,
      function: does ? 1 : 0,
      between: does || TYPES.has(kind) ? 0 : 1,
      test: TEST_FILE.test(path) ? 1 : 0,
      hidden: /^[_#]/.test(name) ? 1 : 0,
      lines: Math.log(1 + lineEnd - lineStart),
      rest: symbolStart !== 0 && symbolStart < lineStart ? 1 : 0,
      file: 0,
      family: 0,
      called: 0,
      wordsBehind: 0,
      nearBehind: 0,
      asked: Math.log(1 + query.words.length),
      recent: recency(candidate, lately),
    };
    return { candidate, features };
  });
  const files = together(weighed, ({ path }) => path, 'words');
  const families = together(weighed, familyOf, 'words');
  const nearFamilies = together(weighed, familyOf, 'near');
  for (const { candidate, features } of weighed) {
    features.file = files.get(candidate.path) ?? 0;
    features.family = families.get(familyOf(candidate)) ?? 0;
    features.nearFamily = nearFamilies.get(familyOf(candidate)) ?? 0;
  }
  compareWithBest(weighed);
  return weighed;
};

/** How far each stays behind the best of all. */
export const compareWithBest = (weighed: readonly Weighed[]): void => {
  let words = 0;
  let near = 0;
  for (const { features } of weighed) {
    words = Math.max(words, features.words);
    near = Math.max(near, features.near);
  }
  for (const { features } of weighed) {
    features.wordsBehind = words - features.words;
    features.nearBehind = near - features.near;
  }
};

/** The heaviest first. */
export const byWeight = (weighed: readonly Weighed[], what: WeightsFor): Ranking =>
  weighed
    .map(({ candidate: { id }, features }) => {
      const { written, recent } = features;
      const byHand = BY_HAND.written * written + BY_HAND.recent * recent;
      return {
        id,
        score:
          byHand +
          weightOf(
            FEATURES.map((key) => features[key]),
            FITTED[what],
          ),
      };
    })
    .sort((a, b) => b.score - a.score || a.id - b.id);
