/**
 * How fast a model would read and write here, from how fast another one did: on one machine the time of a written token
 * goes with the bytes of the weights it passes, and the time of a read token with their number and format. Pure.
 */
import { cacheBytes, type ModelShape } from './model-shape.ts';

/** What this machine does in a second. */
export type MachinePace = {
  /** Bytes of weights that a token being written goes through. */
  bytesPerSecond: number;
  /** Weights that tokens being read are multiplied with, as `readingWork` counts them. */
  workPerSecond?: number;
  /** `engine`: a model was run for it. `learned`: earlier answers of a model. `memory`: only the memory was measured. */
  from: 'engine' | 'learned' | 'memory';
  /** Which model, for people. */
  model?: string;
};

/** Reading is not known where only the memory was measured. */
export type ModelPace = { readTokensPerSecond?: number; writeTokensPerSecond: number };

/** What a layer costs besides its weights, in bytes that could be passed meanwhile: small models have many small ones. */
const LAYER_BYTES = 1_000_000;
const USUAL_LAYERS = 32;

/** Bytes that writing one token passes when so many tokens stand before it. */
const bytesOfToken = (shape: ModelShape, position: number): number =>
  shape.activeBytes +
  (shape.layers ?? USUAL_LAYERS) * LAYER_BYTES +
  (shape.cache === undefined ? 0 : cacheBytes(shape.cache, position, 0));

export const paceOfModel = (shape: ModelShape, machine: MachinePace, position = 0): ModelPace => ({
  ...(machine.workPerSecond === undefined ? {} : { readTokensPerSecond: machine.workPerSecond / shape.readingWork }),
  writeTokensPerSecond: machine.bytesPerSecond / bytesOfToken(shape, position),
});

/** The other way round: what a model that was measured says of the machine. */
export const paceOfMachine = (
  shape: ModelShape,
  measured: ModelPace,
  from: MachinePace['from'],
  position = 0,
): MachinePace => ({
  bytesPerSecond: measured.writeTokensPerSecond * bytesOfToken(shape, position),
  ...(measured.readTokensPerSecond === undefined
    ? {}
    : { workPerSecond: measured.readTokensPerSecond * shape.readingWork }),
  from,
});
