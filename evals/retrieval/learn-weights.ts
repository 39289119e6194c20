/** Learns the weights of a ranking: a linear model, and a few hidden units beside it (listwise softmax loss, Adam). */
import { FEATURES, type Fitted } from '../../src/search/weights.ts';
import type { Example } from './examples.ts';
import { createRandom, shuffle } from './random.ts';

const HIDDEN_UNITS = 8;
const EPOCHS = 30;
const BATCH_SIZE = 64;
const LEARNING_RATE = 0.008;
const WEIGHT_DECAY = 3e-3;
const INITIAL_RANGE = 0.4;
/** An example whose gradient is smaller is left out. */
const GRADIENT_MIN = 1e-6;

type Question = { rows: Float64Array[]; answers: readonly boolean[] };

const deviationOf = (examples: readonly Example[], column: number): { mean: number; deviation: number } => {
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
  return { mean, deviation: Math.sqrt(Math.max(1e-9, squares / Math.max(1, count) - mean ** 2)) };
};

/** All parameters in one list: the weights of the linear part, then for each hidden unit its weights, bias and output weight. */
const createNet = (width: number, random: () => number) => {
  const numbers = new Float64Array(width + HIDDEN_UNITS * (width + 2));
  for (let at = width; at < numbers.length; at += 1) numbers[at] = (random() - 0.5) * INITIAL_RANGE;
  const offsetOf = (unit: number): number => width + unit * (width + 2);
  const activations = new Float64Array(HIDDEN_UNITS);
  const dotFrom = (from: number, row: Float64Array): number => {
    let sum = 0;
    for (let at = 0; at < width; at += 1) sum += (numbers[from + at] as number) * (row[at] as number);
    return sum;
  };
  return {
    numbers,
    offsetOf,
    /** Leaves the value of each hidden unit in `activations`. */
    score(row: Float64Array): number {
      let score = dotFrom(0, row);
      for (let unit = 0; unit < HIDDEN_UNITS; unit += 1) {
        const from = offsetOf(unit);
        activations[unit] = Math.tanh(dotFrom(from, row) + (numbers[from + width] as number));
        score += (numbers[from + width + 1] as number) * (activations[unit] as number);
      }
      return score;
    },
    addGradient(row: Float64Array, pull: number, gradient: Float64Array): void {
      this.score(row);
      const add = (at: number, by: number): void => {
        gradient[at] = (gradient[at] as number) + by;
      };
      for (let at = 0; at < width; at += 1) add(at, pull * (row[at] as number));
      for (let unit = 0; unit < HIDDEN_UNITS; unit += 1) {
        const from = offsetOf(unit);
        const value = activations[unit] as number;
        add(from + width + 1, pull * value);
        const inside = pull * (numbers[from + width + 1] as number) * (1 - value ** 2);
        add(from + width, inside);
        for (let at = 0; at < width; at += 1) add(from + at, inside * (row[at] as number));
      }
    },
  };
};
type Net = ReturnType<typeof createNet>;

/** Adds the gradient of the loss of one question. */
const addQuestion = (net: Net, { rows, answers }: Question, gradient: Float64Array, share: number): void => {
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
    if (Math.abs(pull) > GRADIENT_MIN * share) net.addGradient(rows[at] as Float64Array, pull, gradient);
  }
};

const rounded = (value: number): number => (Math.abs(value) < 1e-6 ? 0 : Number(value.toPrecision(4)));

export const learnWeights = (examples: readonly Example[], columns: readonly number[]): Fitted => {
  const random = createRandom(7);
  const answered = examples.filter(({ answers }) => answers.includes(true));
  const deviations = columns.map((column) => deviationOf(answered, column));
  const questions = answered.map(
    ({ rows, answers }): Question => ({
      answers,
      rows: rows.map((row) =>
        Float64Array.from(columns, (column, at) => {
          const { mean, deviation } = deviations[at] as { mean: number; deviation: number };
          return ((row[column] as number) - mean) / deviation;
        }),
      ),
    }),
  );
  const net = createNet(columns.length, random);
  const { numbers } = net;
  const means = new Float64Array(numbers.length);
  const squares = new Float64Array(numbers.length);
  let steps = 0;
  for (let epoch = 0; epoch < EPOCHS; epoch += 1) {
    shuffle(questions, random);
    for (let from = 0; from < questions.length; from += BATCH_SIZE) {
      const batch = questions.slice(from, from + BATCH_SIZE);
      const gradient = numbers.map((value) => WEIGHT_DECAY * value);
      for (const question of batch) addQuestion(net, question, gradient, 1 / batch.length);
      steps += 1;
      const step = LEARNING_RATE * (1 - (0.9 * epoch) / EPOCHS);
      for (const [at, rise] of gradient.entries()) {
        means[at] = 0.9 * (means[at] as number) + 0.1 * rise;
        squares[at] = 0.99 * (squares[at] as number) + 0.01 * rise ** 2;
        const mean = (means[at] as number) / (1 - 0.9 ** steps);
        numbers[at] =
          (numbers[at] as number) - (step * mean) / (Math.sqrt((squares[at] as number) / (1 - 0.99 ** steps)) + 1e-8);
      }
    }
  }
  return forRawFeatures(net, columns, deviations);
};

/** The same model for features that are not standardised. */
const forRawFeatures = (
  { numbers, offsetOf }: Net,
  columns: readonly number[],
  deviations: readonly { mean: number; deviation: number }[],
): Fitted => {
  const rawAt = (from: number): { weights: number[]; shift: number } => {
    const weights = FEATURES.map(() => 0);
    let shift = 0;
    for (const [at, column] of columns.entries()) {
      const { mean, deviation } = deviations[at] as { mean: number; deviation: number };
      const weight = (numbers[from + at] as number) / deviation;
      weights[column] = rounded(weight);
      shift -= weight * mean;
    }
    return { weights, shift };
  };
  return {
    weights: rawAt(0).weights,
    hidden_units: Array.from({ length: HIDDEN_UNITS }, (_none, unit) => {
      const from = offsetOf(unit);
      const { weights, shift } = rawAt(from);
      return {
        weights,
        bias: rounded(shift + (numbers[from + columns.length] as number)),
        output_weight: rounded(numbers[from + columns.length + 1] as number),
      };
    }),
  };
};
