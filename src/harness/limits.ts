/** Limits of the library's own. */
export const HARNESS_LIMITS = {
  /** How often an answer that does not fit its schema is asked for again. */
  outputAttempts: 2,
} as const;
