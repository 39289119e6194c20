/** The weights that make answers come first: a sum, and a few bent sums beside it for what counts only together. */
import { FEATURES, type Fitted } from '../../src/search/weights.ts';
import type { Example } from './examples.ts';
import { createRandom, shuffle } from './random.ts';

const BENDS = 8;
const ROUNDS = 30;
const AT_ONCE = 64;
const STEP = 0.008;
const SMALLNESS = 3e-3;
const START = 0.4;
/** Pulls that are smaller move nothing. */
const PULL_MIN = 1e-6;

type Question = { rows: Float64Array[]; answers: readonly boolean[] };

const spreadOf = (examples: readonly Example[], column: number): { mean: number; spread: number } => {
  let count = 0;
  let sum = 0;
  let squares = 0;
  for (const { rows } of examples) {
    for (const row of rows) {
      const value = row[column] as number;
      count += 1;
      sum += value;
      squares += value * value;
    }
  }
  const mean = sum / Math.max(1, count);
  return { mean, spread: Math.sqrt(Math.max(1e-9, squares / Math.max(1, count) - mean ** 2)) };
};

/** All that is learned in one list: the sum, and for each bend its sum, where it begins and what it counts. */
const createNet = (width: number, random: () => number) => {
  const numbers = new Float64Array(width + BENDS * (width + 2));
  for (let at = width; at < numbers.length; at += 1) numbers[at] = (random() - 0.5) * START;
  const bendAt = (bend: number): number => width + bend * (width + 2);
  const bent = new Float64Array(BENDS);
  const sumFrom = (from: number, row: Float64Array): number => {
    let sum = 0;
    for (let at = 0; at < width; at += 1) sum += (numbers[from + at] as number) * (row[at] as number);
    return sum;
  };
  return {
    numbers,
    bendAt,
    /** Leaves in `bent` how far each bend goes. */
    score(row: Float64Array): number {
      let score = sumFrom(0, row);
      for (let bend = 0; bend < BENDS; bend += 1) {
        const from = bendAt(bend);
        bent[bend] = Math.tanh(sumFrom(from, row) + (numbers[from + width] as number));
        score += (numbers[from + width + 1] as number) * (bent[bend] as number);
      }
      return score;
    },
    addSlope(row: Float64Array, pull: number, slope: Float64Array): void {
      this.score(row);
      const add = (at: number, by: number): void => {
        slope[at] = (slope[at] as number) + by;
      };
      for (let at = 0; at < width; at += 1) add(at, pull * (row[at] as number));
      for (let bend = 0; bend < BENDS; bend += 1) {
        const from = bendAt(bend);
        const value = bent[bend] as number;
        add(from + width + 1, pull * value);
        const inside = pull * (numbers[from + width + 1] as number) * (1 - value ** 2);
        add(from + width, inside);
        for (let at = 0; at < width; at += 1) add(from + at, inside * (row[at] as number));
      }
    },
  };
};
type Net = ReturnType<typeof createNet>;

/** Adds to `slope` how much the answer's share falls with each number, for one question. */
const addQuestion = (net: Net, { rows, answers }: Question, slope: Float64Array, share: number): void => {
  const scores = rows.map((row) => net.score(row));
  const highest = Math.max(...scores);
  let all = 0;
  let right = 0;
  const raised = scores.map((score, at) => {
    const value = Math.exp(score - highest);
    all += value;
    if (answers[at]) right += value;
    return value;
  });
  for (const [at, value] of raised.entries()) {
    const pull = (value / all - (answers[at] ? value / right : 0)) * share;
    if (Math.abs(pull) > PULL_MIN * share) net.addSlope(rows[at] as Float64Array, pull, slope);
  }
};

const rounded = (value: number): number => (Math.abs(value) < 1e-6 ? 0 : Number(value.toPrecision(4)));

export const learnWeights = (examples: readonly Example[], columns: readonly number[]): Fitted => {
  const random = createRandom(7);
  const answered = examples.filter(({ answers }) => answers.includes(true));
  const spreads = columns.map((column) => spreadOf(answered, column));
  const questions = answered.map(
    ({ rows, answers }): Question => ({
      answers,
      rows: rows.map((row) =>
        Float64Array.from(columns, (column, at) => {
          const { mean, spread } = spreads[at] as { mean: number; spread: number };
          return ((row[column] as number) - mean) / spread;
        }),
      ),
    }),
  );
  const net = createNet(columns.length, random);
  const { numbers } = net;
  const means = new Float64Array(numbers.length);
  const squares = new Float64Array(numbers.length);
  let steps = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    shuffle(questions, random);
    for (let from = 0; from < questions.length; from += AT_ONCE) {
      const group = questions.slice(from, from + AT_ONCE);
      const slope = numbers.map((value) => SMALLNESS * value);
      for (const question of group) addQuestion(net, question, slope, 1 / group.length);
      steps += 1;
      const step = STEP * (1 - (0.9 * round) / ROUNDS);
      for (const [at, rise] of slope.entries()) {
        means[at] = 0.9 * (means[at] as number) + 0.1 * rise;
        squares[at] = 0.99 * (squares[at] as number) + 0.01 * rise ** 2;
        const mean = (means[at] as number) / (1 - 0.9 ** steps);
        numbers[at] =
          (numbers[at] as number) - (step * mean) / (Math.sqrt((squares[at] as number) / (1 - 0.99 ** steps)) + 1e-8);
      }
    }
  }
  return inPlainUnits(net, columns, spreads);
};

/** For features as it is, and not by how far it is from the middle. */
const inPlainUnits = (
  { numbers, bendAt }: Net,
  columns: readonly number[],
  spreads: readonly { mean: number; spread: number }[],
): Fitted => {
  const plain = (from: number): { sum: number[]; shift: number } => {
    const sum = FEATURES.map(() => 0);
    let shift = 0;
    for (const [at, column] of columns.entries()) {
      const { mean, spread } = spreads[at] as { mean: number; spread: number };
      const weight = (numbers[from + at] as number) / spread;
      sum[column] = rounded(weight);
      shift -= weight * mean;
    }
    return { sum, shift };
  };
  return {
    sum: plain(0).sum,
    bends: Array.from({ length: BENDS }, (_none, bend) => {
      const from = bendAt(bend);
      const { sum, shift } = plain(from);
      return {
        sum,
        from: rounded(shift + (numbers[from + columns.length] as number)),
        counts: rounded(numbers[from + columns.length + 1] as number),
      };
    }),
  };
};
