/** One fuzzer: what it does with so many random inputs of a seed, and whether what must hold held. */
export type FuzzReport = { held: boolean; lines: string[] };
export type FuzzPart = {
  /** Inputs of a long run. */
  count: number;
  run(options: { count: number; seed: number }): Promise<FuzzReport>;
};

/** The same numbers for the same seed (xorshift; Math.random has no seed). */
export const generator = (seed: number): (() => number) => {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
};

export const share = (times: readonly number[], part: number): string => {
  const sorted = times.toSorted((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(3);
};
