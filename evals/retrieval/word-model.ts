/**
 * Words that learn where to point: a comment and its function, each the sum of their words' directions, are to lie nearer
 * to each other than the comment to any other function of the same handful.
 */
import { createRandom } from './random.ts';

export const DIMENSIONS = 96;
export const HANDFUL = 96;
/** How much the nearest counts against the others. */
const SHARPNESS = 16;
/** How often a word of a comment is left out, and one that its function has too. */
const LEFT_OUT = 0.1;
const SHARED_LEFT_OUT = 0.4;
const START = 0.15;
const SHARE_STEP = 0.02;

/** A comment in its forms, and the words of each place of its function, as rows of the model. */
export type Example = {
  language: string;
  package: string;
  said: Int32Array[];
  /** Which words of the comment its function has too. */
  shared: boolean[][];
  places: Int32Array[];
};

/** One row of chance for all that is learned, so that the same is learned every time. */
export const random = createRandom(1);
const around = (): number => {
  let sum = 0;
  for (let at = 0; at < 6; at += 1) sum += random();
  return (sum - 3) / Math.sqrt(0.5);
};
const SHARES_START = [1, 0.5, 0.3, 0.4, 0.5];

/** All that is learned, and how far each number was moved already: those that moved much move less. */
export const createModel = (words: number) => {
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
export type Model = ReturnType<typeof createModel>;

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

/** Lays the comments and the functions of a handful into `space`; what of each comment was not left out. */
const layOut = (model: Model, group: readonly Example[]): Int32Array[] => {
  const { said, parts, places, saidLengths, partLengths } = space;
  for (const list of Object.values(space)) list.fill(0);
  return group.map((example, i) => {
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
};

/** How much a place counts moves too, by how well what it says agrees with where its function should point. */
const moveShare = (model: Model, i: number, at: number, count: number): number => {
  const { places, partSlope } = space;
  const from = (i * SHARES_START.length + at) * DIMENSIONS;
  let by = 0;
  for (let d = 0; d < DIMENSIONS; d += 1) {
    by += ((partSlope[i * DIMENSIONS + d] as number) * (places[from + d] as number)) / count;
  }
  model.sharesMoved[at] = (model.sharesMoved[at] as number) + by * by;
  model.shares[at] = (model.shares[at] as number) - (SHARE_STEP * by) / Math.sqrt(model.sharesMoved[at] as number);
  return model.shares[at] as number;
};

/** Moves all that one handful speaks of; its loss. */
export const learnFrom = (model: Model, group: readonly Example[], step: number): number => {
  const { said, parts, saidSlope, partSlope, saidLengths, partLengths } = space;
  const kept = layOut(model, group);
  const loss = compare(group.length);
  throughLength(said, saidSlope, saidLengths, group.length);
  throughLength(parts, partSlope, partLengths, group.length);
  for (const [i, example] of group.entries()) {
    moveRows(model, kept[i] as Int32Array, saidSlope, i * DIMENSIONS, 1, step);
    for (const [at, own] of example.places.entries()) {
      const scale = moveShare(model, i, at, group.length) / Math.sqrt(own.length || 1);
      moveRows(model, own, partSlope, i * DIMENSIONS, scale, step);
    }
  }
  return loss;
};
