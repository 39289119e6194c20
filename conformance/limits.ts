/** The numbers of a conformance run. */
export const CONFORMANCE_LIMITS = {
  /** A text that a case has generated. */
  textCharacters: 64 * 1024 * 1024,
  /** For something to appear on the screen of a case. */
  waitMs: 5_000,
  /** For a program to start, or to come to the next thing that it does, on a busy machine. */
  programMs: 30_000,
  /** And on a page, whose browser may have to start first. */
  pageMs: 20_000,
  /** How often a page is opened whose time is too long: the fastest counts. */
  timedOpenings: 3,
  /** For one case as a whole. */
  caseMs: 180_000,
} as const;
