/** The numbers of reading the header of a model file. */
export const GGUF_LIMITS = {
  /** Read in one go; the header of a large vocabulary is some ten megabytes. */
  pieceBytes: 1024 * 1024,
  headerBytes: 96 * 1024 * 1024,
  pairs: 10_000,
  tensors: 100_000,
  dimensions: 8,
  /** Of one text, such as the chat template. */
  textBytes: 4 * 1024 * 1024,
  /** Numbers of one array that are kept; a longer array is only counted. */
  arrayNumbers: 4_096,
  redirects: 5,
  silenceMs: 20_000,
  /** Besides a piece: what a server may send more than it was asked for. */
  extraBytes: 64 * 1024,
} as const;
