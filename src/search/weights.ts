/**
 * What speaks for a candidate, and how much: fitted on packages of others (`node evals/retrieval/fit.ts`), never on those
 * that are reported.
 */
export const FEATURES = [
  /** BM25 over name, what it stands in, path, head and body. */
  'words',
  /** How much of the name was said, by a short form too. */
  'alike',
  /** What of the question the name says by a short form. */
  'begun',
  /** The question and the name begin alike: "Returns the …", `getName`. */
  'verb',
  /** The name was written out. */
  'written',
  /** What of the question its parameters and types say. */
  'head',
  'path',
  /** Words learned to mean the same: of all of it, of its name, of its head, of the best of its class. */
  'near',
  'nearName',
  'nearHead',
  'nearFamily',
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
  /** How far it stays behind the best of all candidates, and how long the question is. */
  'wordsBehind',
  'nearBehind',
  'asked',
  /** It was changed or spoken of lately. */
  'recent',
] as const;
export type Features = Record<(typeof FEATURES)[number], number>;
/** A question in a person's words, or a piece of code as one. */
export type WeightsFor = 'prose' | 'code';

/** A linear model with a few hidden units beside it. The numbers stand in the order of `FEATURES`. */
export type Fitted = {
  weights: readonly number[];
  /** For features that count only together: each gives a value from -1 to 1. */
  hidden_units: readonly { weights: readonly number[]; bias: number; output_weight: number }[];
};

/** What cannot be fitted: a question masks the name of its answer, so what is written out there is another; a person means it. */
export const BY_HAND = { written: 2, recent: 0.05 } as const satisfies Partial<Features>;

const sumOf = (row: readonly number[], weights: readonly number[]): number => {
  let sum = 0;
  for (let at = 0; at < row.length; at += 1) sum += (row[at] as number) * (weights[at] as number);
  return sum;
};

/** The score of a candidate by its features. */
export const weightOf = (row: readonly number[], { weights, hidden_units }: Fitted): number =>
  hidden_units.reduce(
    (total, unit) => total + unit.output_weight * Math.tanh(unit.bias + sumOf(row, unit.weights)),
    sumOf(row, weights),
  );
