/**
 * What speaks for each candidate: its words, each place with its own weight; its name, in other words too; its kind and
 * its file. How much each of these says was fitted on packages of others (`node evals/retrieval/fit.ts`), never on those
 * that are reported.
 */
import type { Candidate } from './candidates.ts';
import type { Ranking } from './fuse.ts';
import type { QueryWords } from './query-words.ts';
import { sameMeaning } from './same-meaning.ts';
import { stemsOf } from './stems.ts';

export const EVIDENCE = [
  /** BM25 over name, what it stands in, path, head and body. */
  'words',
  /** How much of the name was said, in other words or by a short form too. */
  'alike',
  /** What of the question the name says in other words, and by a short form. */
  'meant',
  'begun',
  /** The question and the name begin alike: "Returns the …", `getName`. */
  'verb',
  /** The name was written out. */
  'written',
  /** What of the question its parameters and types say, and in other words. */
  'head',
  'headMeant',
  'path',
  /** It is something that does something; prose, which has no definitions, is what is sought there. */
  'function',
  /** It is neither that nor a type: the lines between. */
  'between',
  'test',
  'hidden',
  'lines',
  /** It is a later piece of a long definition. */
  'rest',
  /** How well its neighbours fit: in the same file, in the same class. */
  'file',
  'family',
  /** The best answers call it. */
  'called',
  /** It was changed or spoken of lately. */
  'recent',
] as const;
export type Evidence = Record<(typeof EVIDENCE)[number], number>;
export type Weighed = { candidate: Candidate; evidence: Evidence };

const PROSE_WEIGHTS: Evidence = {
  words: 13.6,
  alike: 2.12,
  meant: 1.86,
  begun: 6.45,
  verb: 0.93,
  written: 2,
  head: 1.04,
  headMeant: 2.88,
  path: 2.12,
  function: 4.53,
  between: -1.98,
  test: -2.36,
  hidden: -0.71,
  lines: -0.09,
  rest: -0.67,
  file: 7.52,
  family: 2.64,
  called: 0.3,
  recent: 0.05,
};

/** A piece of code asks for what it uses: who is called by the best answers counts, the beginning of a name does not. */
const CODE_WEIGHTS: Evidence = {
  words: 8.73,
  alike: 0.22,
  meant: 1.39,
  begun: 2.95,
  verb: 0,
  written: 0,
  head: 2.41,
  headMeant: 1.27,
  path: 1.78,
  function: 4.73,
  between: 0,
  test: -1.53,
  hidden: 0,
  lines: -0.15,
  rest: -2.47,
  file: 1.8,
  family: 1.2,
  called: 2.97,
  recent: 0.05,
};

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
/** Another word for it says less than the word. */
const OTHER_WORD = 0.6;

/** Parameters and types, up to where the body begins. */
const HEAD_LINES = 8;
const HEAD_END = /(?:\{|:|=>)\s*$/;
const headOf = ({ text, lineStart, symbolStart }: Candidate): string => {
  if (symbolStart < lineStart) return '';
  const before = symbolStart - lineStart;
  const lines = text.split('\n', before + HEAD_LINES).slice(before);
  const end = lines.findIndex((line) => HEAD_END.test(line));
  return (end < 0 ? lines.slice(0, 1) : lines.slice(0, end + 1)).join('\n');
};

/** What is said above a definition, or first in it (Python). */
const FIRST_STRING = /("""|''')[\s\S]*?\1/;
const commentOf = ({ text, language, lineStart, symbolStart }: Candidate): string => {
  if (symbolStart < lineStart) return '';
  if (language === 'python') return FIRST_STRING.exec(text)?.[0] ?? '';
  return symbolStart === lineStart ? '' : text.split('\n', symbolStart - lineStart).join('\n');
};

/** A question as it is held against each candidate. */
const readAsked = ({ words, first }: QueryWords) => {
  const weights = new Map(words.map(({ stem, weight }) => [stem, weight]));
  const total = words.reduce((sum, { weight }) => sum + weight, 0) || 1;
  const meanings = new Map<string, number>();
  for (const { stem, weight } of words) {
    for (const other of sameMeaning(stem)) {
      if (!weights.has(other)) meanings.set(other, Math.max(meanings.get(other) ?? 0, weight));
    }
  }
  const sumOf = (list: readonly string[], of: ReadonlyMap<string, number>): number => {
    let sum = 0;
    for (const word of new Set(list)) sum += of.get(word) ?? 0;
    return sum / total;
  };
  return {
    weights,
    total,
    said: (list: readonly string[]) => sumOf(list, weights),
    meant: (list: readonly string[]) => sumOf(list, meanings),
    means: (word: string) => meanings.get(word) ?? 0,
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
    beginsAlike: (verb: string | undefined): number =>
      verb === undefined || first === undefined
        ? 0
        : verb === first
          ? 1
          : sameMeaning(first).has(verb)
            ? OTHER_WORD
            : 0,
  };
};
type Asked = ReturnType<typeof readAsked>;

/** BM25 over places, each with its own length: a word of a name says more than one of many in a body. */
const wordsIn = (asked: Asked, places: Record<keyof typeof PLACES, readonly string[]>): number => {
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

const nameEvidence = (asked: Asked, own: readonly string[]): Pick<Evidence, 'alike' | 'meant' | 'begun'> => {
  let alike = 0;
  let meant = 0;
  let begun = 0;
  for (const word of own) {
    const same = asked.weights.has(word) ? 0 : asked.means(word);
    const short = asked.weights.has(word) || same > 0 ? 0 : asked.begunBy(word);
    meant += same;
    begun += short;
    alike += asked.weights.has(word) ? 1 : same > 0 || short > 0 ? OTHER_WORD : 0;
  }
  return { alike: alike / Math.max(1, own.length), meant: meant / asked.total, begun: begun / asked.total };
};

const familyOf = ({ path, symbol, kind }: Candidate): string => {
  const dot = symbol.lastIndexOf('.');
  return `${path}\n${dot >= 0 ? symbol.slice(0, dot) : TYPES.has(kind) ? symbol : ''}`;
};

/** What the best four of a group say together, the best of them most. */
const SHARES = [1, 1 / 2, 1 / 3, 1 / 4];
const together = (weighed: readonly Weighed[], keyOf: (candidate: Candidate) => string): Map<string, number> => {
  const groups = new Map<string, number[]>();
  for (const { candidate, evidence } of weighed) {
    const key = keyOf(candidate);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [evidence.words]);
    else group.push(evidence.words);
  }
  const sums = [...groups].map(([key, scores]): [string, number] => {
    scores.sort((a, b) => b - a);
    return [key, SHARES.reduce((sum, share, at) => sum + share * (scores[at] ?? 0), 0) / 2];
  });
  return new Map(sums);
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
  const written = new Set(query.names);
  const weighed = pool.map((candidate): Weighed => {
    const { symbol, kind, path, language, text, lineStart, lineEnd, symbolStart } = candidate;
    const dot = symbol.lastIndexOf('.');
    const name = symbol.slice(dot + 1);
    const own = [...new Set(stemsOf(name))];
    const outer = dot < 0 ? [] : stemsOf(symbol.slice(0, dot));
    const head = stemsOf(headOf(candidate));
    const pathWords = stemsOf(path);
    const does = DOES.has(kind) || language === 'prose';
    const evidence: Evidence = {
      words: wordsIn(asked, {
        own,
        outer,
        path: pathWords,
        head,
        comment: stemsOf(commentOf(candidate)),
        body: stemsOf(text),
      }),
      ...nameEvidence(asked, own),
      verb: asked.beginsAlike(own[0]),
      written: written.has(name) ? 1 : 0,
      head: asked.said(head),
      headMeant: asked.meant(head),
      path: asked.said(pathWords),
      function: does ? 1 : 0,
      between: does || TYPES.has(kind) ? 0 : 1,
      test: TEST_FILE.test(path) ? 1 : 0,
      hidden: /^[_#]/.test(name) ? 1 : 0,
      lines: Math.log(1 + lineEnd - lineStart),
      rest: symbolStart !== 0 && symbolStart < lineStart ? 1 : 0,
      file: 0,
      family: 0,
      called: 0,
      recent: recency(candidate, lately),
    };
    return { candidate, evidence };
  });
  const files = together(weighed, ({ path }) => path);
  const families = together(weighed, familyOf);
  for (const { candidate, evidence } of weighed) {
    evidence.file = files.get(candidate.path) ?? 0;
    evidence.family = families.get(familyOf(candidate)) ?? 0;
  }
  return weighed;
};

/** The heaviest first. */
export const byWeight = (weighed: readonly Weighed[], isCode: boolean): Ranking => {
  const weights = isCode ? CODE_WEIGHTS : PROSE_WEIGHTS;
  return weighed
    .map(({ candidate: { id }, evidence }) => ({
      id,
      score: EVIDENCE.reduce((sum, key) => sum + weights[key] * evidence[key], 0),
    }))
    .sort((a, b) => b.score - a.score || a.id - b.id);
};
