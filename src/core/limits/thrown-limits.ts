/** By itself: `halter/dialects` loads it, and not the limits of everything else. */
export const THROWN_LIMITS = {
  /** Of a thrown value that says nothing but its fields. */
  thrownCharacters: 500,
} as const;
