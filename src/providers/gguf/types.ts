/** The number formats of GGUF tensors: how many values a block holds, and how many bytes it takes. */
type BlockType = { values: number; bytes: number };

const TYPES: Readonly<Record<number, BlockType>> = {
  0: { values: 1, bytes: 4 },
  1: { values: 1, bytes: 2 },
  2: { values: 32, bytes: 18 },
  3: { values: 32, bytes: 20 },
  6: { values: 32, bytes: 22 },
  7: { values: 32, bytes: 24 },
  8: { values: 32, bytes: 34 },
  9: { values: 32, bytes: 36 },
  10: { values: 256, bytes: 84 },
  11: { values: 256, bytes: 110 },
  12: { values: 256, bytes: 144 },
  13: { values: 256, bytes: 176 },
  14: { values: 256, bytes: 210 },
  15: { values: 256, bytes: 292 },
  16: { values: 256, bytes: 66 },
  17: { values: 256, bytes: 74 },
  18: { values: 256, bytes: 98 },
  19: { values: 256, bytes: 50 },
  20: { values: 32, bytes: 18 },
  21: { values: 256, bytes: 110 },
  22: { values: 256, bytes: 82 },
  23: { values: 256, bytes: 136 },
  24: { values: 1, bytes: 1 },
  25: { values: 1, bytes: 2 },
  26: { values: 1, bytes: 4 },
  27: { values: 1, bytes: 8 },
  28: { values: 1, bytes: 8 },
  29: { values: 256, bytes: 56 },
  30: { values: 1, bytes: 2 },
  34: { values: 256, bytes: 54 },
  35: { values: 256, bytes: 66 },
  39: { values: 32, bytes: 17 },
};

/** Undefined for a type that is newer than this list. */
export const bytesOf = (type: number, values: number): number | undefined => {
  const block = TYPES[type];
  return block && (values / block.values) * block.bytes;
};

/** Formats that engines lay out anew for the processor's wide instructions. */
const REPACKED: ReadonlySet<number> = new Set([2, 12, 20]);
export const isRepacked = (type: number): boolean => REPACKED.has(type);

/**
 * How long reading takes with a weight of each format, against one of Q4_1: measured by `npm run bench:advise` on one
 * processor with AVX2. Formats that were not measured count as the middle.
 */
const WORK: Readonly<Record<number, number>> = { 2: 0.27, 3: 1, 8: 0.36, 12: 0.22, 14: 0.6, 20: 0.27 };
const USUAL_WORK = 0.5;
export const workOf = (type: number): number => WORK[type] ?? USUAL_WORK;

/** What `general.file_type` means, as files are named. */
const FILE_TYPES: Readonly<Record<number, string>> = {
  0: 'F32',
  1: 'F16',
  2: 'Q4_0',
  3: 'Q4_1',
  7: 'Q8_0',
  8: 'Q5_0',
  9: 'Q5_1',
  10: 'Q2_K',
  11: 'Q3_K_S',
  12: 'Q3_K_M',
  13: 'Q3_K_L',
  14: 'Q4_K_S',
  15: 'Q4_K_M',
  16: 'Q5_K_S',
  17: 'Q5_K_M',
  18: 'Q6_K',
  19: 'IQ2_XXS',
  20: 'IQ2_XS',
  21: 'Q2_K_S',
  22: 'IQ3_XS',
  23: 'IQ3_XXS',
  24: 'IQ1_S',
  25: 'IQ4_NL',
  26: 'IQ3_S',
  27: 'IQ3_M',
  28: 'IQ2_S',
  29: 'IQ2_M',
  30: 'IQ4_XS',
  31: 'IQ1_M',
  32: 'BF16',
  36: 'TQ1_0',
  37: 'TQ2_0',
  38: 'MXFP4',
};
export const fileTypeName = (type: number): string | undefined => FILE_TYPES[type];
