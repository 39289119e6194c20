/**
 * Learns `src/retrieval/word-vectors.bin`: `node evals/retrieval/learn-words.ts` (some 430 packages are fetched once; half
 * an hour on two cores). A comment and its function, each the sum of their words' directions, are to lie nearer to each
 * other than the comment to any other function of the same package in a handful. Words that both have are often left out of the comment, so
 * that it is the other words that are learned: those that are the same are found without this.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIRECTION_PLACES, type VectorsHead } from '../../src/retrieval/word-vectors.ts';
import { ROOT } from '../../tests/source-files.ts';
import { packagesFor } from './corpus.ts';
import { type Pair, pairsOf } from './pairs.ts';

const DIMENSIONS = 96;
const ROUNDS = 4;
const HANDFUL = 96;
const STEP = 0.08;
/** How much the nearest counts against the others. */
const SHARPNESS = 16;
/** How often a word of a comment is left out, and one that its function has too. */
const LEFT_OUT = 0.1;
const SHARED_LEFT_OUT = 0.4;
/** Words that fewer packages use are names and not language. */
const PACKAGES_MIN = 3;
const TIMES_MIN = 6;
const START = 0.15;

type Example = { language: string; package: string; said: Int32Array[]; shared: boolean[][]; places: Int32Array[] };

let state = 1;
const random = (): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};
const around = (): number => {
  let sum = 0;
  for (let at = 0; at < 6; at += 1) sum += random();
  return (sum - 3) / Math.sqrt(0.5);
};
const shuffle = <T>(list: T[]): T[] => {
  for (let at = list.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [list[at], list[other]] = [list[other] as T, list[at] as T];
  }
  return list;
};

const vocabularyOf = (pairs: readonly Pair[]): string[] => {
  const counts = new Map<string, { times: number; packages: Set<string> }>();
  for (const { package: name, said, places } of pairs) {
    for (const word of new Set([...said.flat(), ...places.flat()])) {
      const count = counts.get(word) ?? { times: 0, packages: new Set() };
      counts.set(word, count);
      count.times += 1;
      count.packages.add(name);
    }
  }
  return [...counts]
    .filter(([word, { times, packages }]) => packages.size >= PACKAGES_MIN && times >= TIMES_MIN && /\D/.test(word))
    .sort(([one, a], [other, b]) => b.packages.size - a.packages.size || b.times - a.times || (one < other ? -1 : 1))
    .map(([word]) => word);
};

/** Pairs that other packages have word for word were copied from them. */
const distinct = (pairs: readonly Pair[]): Pair[] => {
  const seen = new Set<string>();
  return pairs.filter(({ said, places }) => {
    const key = `${said[0]?.join(' ')}\n${places[0]?.join(' ')}`;
    return !seen.has(key) && seen.add(key);
  });
};

const examplesOf = (pairs: readonly Pair[], vocabulary: readonly string[]): Example[] => {
  const rows = new Map(vocabulary.map((word, row) => [word, row]));
  const rowsOf = (words: readonly string[]) => Int32Array.from(words.flatMap((word) => rows.get(word) ?? []));
  return pairs.map(({ language, package: name, said, places }) => {
    const own = places.map(rowsOf);
    const all = new Set(own.flatMap((place) => [...place]));
    const asked = said.map(rowsOf);
    return {
      language,
      package: name,
      said: asked,
      shared: asked.map((list) => Array.from(list, (row) => all.has(row))),
      places: own,
    };
  });
};

/** Handfuls of one package, and of what is left over, of one language. */
const handfuls = (examples: readonly Example[]): Example[][] => {
  const groups: Example[][] = [];
  const left = new Map<string, Example[]>();
  for (const own of Map.groupBy(examples, ({ language, package: name }) => `${language} ${name}`).values()) {
    shuffle(own);
    const whole = own.length - (own.length % HANDFUL);
    for (let from = 0; from < whole; from += HANDFUL) groups.push(own.slice(from, from + HANDFUL));
    const language = own[0]?.language ?? '';
    left.set(language, [...(left.get(language) ?? []), ...own.slice(whole)]);
  }
  for (const own of left.values()) {
    for (let from = 0; from + HANDFUL / 8 < own.length; from += HANDFUL) groups.push(own.slice(from, from + HANDFUL));
  }
  return shuffle(groups);
};

const SHARES_START = [1, 0.5, 0.3, 0.4, 0.5];

/** All that is learned, and how far each number was moved already: those that moved much move less. */
const createModel = (words: number) => {
  const numbers = Float32Array.from(
    { length: words * DIMENSIONS },
    () => around() * START * Math.sqrt(64 / DIMENSIONS),
  );
  return {
    numbers,
    moved: new Float32Array(numbers.length).fill(1e-6),
    shares: Float32Array.from(SHARES_START),
    sharesMoved: new Float32Array(SHARES_START.length).fill(1e-3),
  };
};
type Model = ReturnType<typeof createModel>;

const addRows = (model: Model, rows: Int32Array, into: Float32Array, from: number, scale: number): void => {
  for (const row of rows) {
    const at = row * DIMENSIONS;
    for (let d = 0; d < DIMENSIONS; d += 1) {
      into[from + d] = (into[from + d] as number) + scale * (model.numbers[at + d] as number);
    }
  }
};
const moveRows = (model: Model, rows: Int32Array, slope: Float32Array, from: number, scale: number, step: number) => {
  const { numbers, moved } = model;
  for (const row of rows) {
    const at = row * DIMENSIONS;
    for (let d = 0; d < DIMENSIONS; d += 1) {
      const by = (slope[from + d] as number) * scale;
      moved[at + d] = (moved[at + d] as number) + by * by;
      numbers[at + d] = (numbers[at + d] as number) - (step * by) / Math.sqrt(moved[at + d] as number);
    }
  }
};
const makeLengthOne = (list: Float32Array, from: number): number => {
  let sum = 0;
  for (let d = 0; d < DIMENSIONS; d += 1) sum += (list[from + d] as number) ** 2;
  const length = Math.sqrt(sum) + 1e-6;
  for (let d = 0; d < DIMENSIONS; d += 1) list[from + d] = (list[from + d] as number) / length;
  return length;
};
/** The slope before the length was made one. */
const throughLength = (list: Float32Array, slope: Float32Array, lengths: Float32Array, count: number): void => {
  for (let i = 0; i < count; i += 1) {
    const from = i * DIMENSIONS;
    let along = 0;
    for (let d = 0; d < DIMENSIONS; d += 1) along += (list[from + d] as number) * (slope[from + d] as number);
    for (let d = 0; d < DIMENSIONS; d += 1) {
      const across = (slope[from + d] as number) - along * (list[from + d] as number);
      slope[from + d] = across / (lengths[i] as number);
    }
  }
};

const room = () => new Float32Array(HANDFUL * DIMENSIONS);
const space = {
  said: room(),
  parts: room(),
  places: new Float32Array(HANDFUL * SHARES_START.length * DIMENSIONS),
  saidSlope: room(),
  partSlope: room(),
  saidLengths: new Float32Array(HANDFUL),
  partLengths: new Float32Array(HANDFUL),
};

/** How near each comment is to each function, and which way all should move; the loss. */
const compare = (count: number): number => {
  const { said, parts, saidSlope, partSlope } = space;
  const near = new Float32Array(count);
  let loss = 0;
  for (let i = 0; i < count; i += 1) {
    const a = i * DIMENSIONS;
    let most = Number.NEGATIVE_INFINITY;
    for (let j = 0; j < count; j += 1) {
      let sum = 0;
      for (let d = 0; d < DIMENSIONS; d += 1) sum += (said[a + d] as number) * (parts[j * DIMENSIONS + d] as number);
      near[j] = sum * SHARPNESS;
      most = Math.max(most, near[j] as number);
    }
    let all = 0;
    for (let j = 0; j < count; j += 1) all += near[j] = Math.exp((near[j] as number) - most);
    loss -= Math.log((near[i] as number) / all);
    for (let j = 0; j < count; j += 1) {
      const pull = ((near[j] as number) / all - (i === j ? 1 : 0)) * SHARPNESS;
      const b = j * DIMENSIONS;
      for (let d = 0; d < DIMENSIONS; d += 1) {
        saidSlope[a + d] = (saidSlope[a + d] as number) + pull * (parts[b + d] as number);
        partSlope[b + d] = (partSlope[b + d] as number) + pull * (said[a + d] as number);
      }
    }
  }
  return loss;
};

const learnFrom = (model: Model, group: readonly Example[], step: number): number => {
  const { said, parts, places, saidSlope, partSlope, saidLengths, partLengths } = space;
  for (const list of Object.values(space)) list.fill(0);
  const kept = group.map((example, i) => {
    const form = example.said.length > 1 && random() < 0.4 ? 1 : 0;
    const shared = example.shared[form] as boolean[];
    const rows = (example.said[form] as Int32Array).filter(
      (_row, at) => random() >= (shared[at] ? SHARED_LEFT_OUT : LEFT_OUT),
    );
    addRows(model, rows, said, i * DIMENSIONS, 1);
    saidLengths[i] = makeLengthOne(said, i * DIMENSIONS);
    for (const [at, own] of example.places.entries()) {
      const from = (i * SHARES_START.length + at) * DIMENSIONS;
      addRows(model, own, places, from, 1 / Math.sqrt(own.length || 1));
      for (let d = 0; d < DIMENSIONS; d += 1) {
        parts[i * DIMENSIONS + d] =
          (parts[i * DIMENSIONS + d] as number) + (model.shares[at] as number) * (places[from + d] as number);
      }
    }
    partLengths[i] = makeLengthOne(parts, i * DIMENSIONS);
    return rows;
  });
  const loss = compare(group.length);
  throughLength(said, saidSlope, saidLengths, group.length);
  throughLength(parts, partSlope, partLengths, group.length);
  for (const [i, example] of group.entries()) {
    moveRows(model, kept[i] as Int32Array, saidSlope, i * DIMENSIONS, 1, step);
    for (const [at, own] of example.places.entries()) {
      let by = 0;
      const from = (i * SHARES_START.length + at) * DIMENSIONS;
      for (let d = 0; d < DIMENSIONS; d += 1) {
        by += ((partSlope[i * DIMENSIONS + d] as number) * (places[from + d] as number)) / group.length;
      }
      model.sharesMoved[at] = (model.sharesMoved[at] as number) + by * by;
      model.shares[at] = (model.shares[at] as number) - (0.02 * by) / Math.sqrt(model.sharesMoved[at] as number);
      const scale = (model.shares[at] as number) / Math.sqrt(own.length || 1);
      moveRows(model, own, partSlope, i * DIMENSIONS, scale, step);
    }
  }
  return loss;
};

const written = ({ numbers, shares }: Model, vocabulary: readonly string[]): Uint8Array => {
  const head: VectorsHead = {
    version: 1,
    dimensions: DIMENSIONS,
    shares: Array.from(shares, (share) => Math.round(share * 1e3) / 1e3),
    words: vocabulary.join(' '),
  };
  const scales = new Float32Array(vocabulary.length);
  const bytes = new Int8Array(numbers.length);
  for (let row = 0; row < vocabulary.length; row += 1) {
    const own = numbers.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS);
    const scale = Math.max(...own.map(Math.abs)) / 127 || 1;
    scales[row] = scale;
    for (const [d, value] of own.entries()) bytes[row * DIMENSIONS + d] = Math.round(value / scale);
  }
  return Buffer.concat([
    Buffer.from(`${JSON.stringify(head)}\n`),
    Buffer.from(scales.buffer),
    Buffer.from(bytes.buffer),
  ]);
};

const collected: Pair[] = [];
for (const item of packagesFor('words')) {
  try {
    for (const pair of await pairsOf(item)) collected.push(pair);
  } catch (error) {
    console.error(`${item.name} is left out: ${(error as Error).message.split('\n')[0]}`);
  }
}
const pairs = distinct(collected);
const vocabulary = vocabularyOf(pairs);
const examples = examplesOf(pairs, vocabulary);
console.log(
  `${examples.length} comments of ${new Set(pairs.map((pair) => pair.package)).size} packages, ${vocabulary.length} words`,
);
const model = createModel(vocabulary.length);
for (let round = 0; round < ROUNDS; round += 1) {
  const groups = handfuls(examples);
  let loss = 0;
  let count = 0;
  for (const [at, group] of groups.entries()) {
    const done = (round + at / groups.length) / ROUNDS;
    loss += learnFrom(model, group, STEP * (1 - 0.9 * done));
    count += group.length;
  }
  const shares = DIRECTION_PLACES.map((place, at) => `${place} ${model.shares[at]?.toFixed(2)}`).join(', ');
  console.log(`round ${round + 1}: loss ${(loss / count).toFixed(3)}; ${shares}`);
}
writeFileSync(join(ROOT, 'src', 'retrieval', 'word-vectors.bin'), written(model, vocabulary));
