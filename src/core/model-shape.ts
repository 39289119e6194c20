/**
 * What a model is made of, as far as memory and speed follow from it, and what it takes at a window. Pure: the numbers of
 * the machine come in.
 */

/** The cache of the attention. Bytes are those of 16-bit numbers, which is what engines keep unless told otherwise. */
export type CacheShape = {
  /** A token, in the layers that look at the whole window. */
  bytesPerToken: number;
  /** A token, in the layers that look at the last `slidingTokens` only. */
  slidingBytesPerToken?: number;
  slidingTokens?: number;
  /** Whatever the window is: the state of layers without attention. */
  fixedBytes?: number;
};

export type ModelShape = {
  /** All weights. */
  weightBytes: number;
  /** The weights that one written token goes through: some of a mixture of experts, and no table that is only looked up. */
  activeBytes: number;
  parameters: number;
  /** Those that one token goes through, weighed by how long their number format takes: 1 for one of Q4_1. */
  readingWork: number;
  /** Of the weights, what an engine lays out anew for the processor. The file's own pages are given back when they are needed. */
  repackedBytes?: number;
  /** Absent where it is not known; then memory is a lower bound. */
  cache?: CacheShape;
  /** The widest rows of a step: logits, and the layers themselves. Absent where not known. */
  vocabulary?: number;
  embedding?: number;
  /** Tokens that it was trained for. */
  trainedWindow?: number;
  layers?: number;
};

export type MemoryNeed = {
  bytes: number;
  weights: number;
  cache: number;
  buffers: number;
  /** Besides: pages of the file that stay in memory as long as nobody else needs it. */
  reclaimable: number;
  /** The cache of this model is not known, so it takes more than this. */
  atLeast?: true;
};

/** Tokens that engines read in one go. */
const BATCH_TOKENS = 512;
const FLOAT_BYTES = 4;
/** The engine itself, besides what it holds of the model. */
const ENGINE_BYTES = 90_000_000;

export const cacheBytes = (cache: CacheShape, window: number, batch: number = BATCH_TOKENS): number =>
  (cache.fixedBytes ?? 0) +
  cache.bytesPerToken * window +
  (cache.slidingBytesPerToken ?? 0) * Math.min(window, (cache.slidingTokens ?? 0) + batch);

/** What a batch needs while it is computed: its logits, and the rows of its layers. */
const bufferBytes = (shape: ModelShape, batch: number): number =>
  batch * FLOAT_BYTES * ((shape.vocabulary ?? USUAL_VOCABULARY) + (shape.embedding ?? 0) * ROWS);
/** Where it is not known: that of most models in use. */
const USUAL_VOCABULARY = 150_000;
const ROWS = 8;

/** The memory that a model takes with a window of so many tokens. */
export const memoryNeed = (shape: ModelShape, window: number, batch: number = BATCH_TOKENS): MemoryNeed => {
  const cache = shape.cache === undefined ? 0 : cacheBytes(shape.cache, window, batch);
  const buffers = bufferBytes(shape, batch) + ENGINE_BYTES;
  const bytes = shape.weightBytes + cache + buffers;
  return {
    bytes,
    weights: shape.weightBytes,
    cache,
    buffers,
    reclaimable: shape.repackedBytes ?? 0,
    ...(shape.cache === undefined ? { atLeast: true } : {}),
  };
};
