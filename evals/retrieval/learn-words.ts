/**
 * Learns `src/search/word-vectors.bin`: `node evals/retrieval/learn-words.ts`. The packages are fetched once; learning
 * takes some minutes. Words that a comment and its function share are often left out of the comment, so that it is the
 * other words that are learned: those that are the same are found without this.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIRECTION_PLACES, type VectorsHead } from '../../src/search/word-vectors.ts';
import { ROOT } from '../../tests/source-files.ts';
import { packagesFor } from './corpus.ts';
import { type Pair, pairsOf } from './pairs.ts';
import { shuffle } from './random.ts';
import { createModel, DIMENSIONS, type Example, HANDFUL, learnFrom, type Model, random } from './word-model.ts';

const ROUNDS = 4;
const STEP = 0.08;
/** Words that fewer packages use are names and not language. */
const PACKAGES_MIN = 3;
const TIMES_MIN = 6;

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
    shuffle(own, random);
    const whole = own.length - (own.length % HANDFUL);
    for (let from = 0; from < whole; from += HANDFUL) groups.push(own.slice(from, from + HANDFUL));
    const language = own[0]?.language ?? '';
    left.set(language, [...(left.get(language) ?? []), ...own.slice(whole)]);
  }
  for (const own of left.values()) {
    for (let from = 0; from + HANDFUL / 8 < own.length; from += HANDFUL) groups.push(own.slice(from, from + HANDFUL));
  }
  return shuffle(groups, random);
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
writeFileSync(join(ROOT, 'src', 'search', 'word-vectors.bin'), written(model, vocabulary));
