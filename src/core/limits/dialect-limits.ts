/** What bounds the reading of calls in the text of models. */
export const DIALECT_LIMITS = {
  /** Brackets within brackets; deeper, a value counts as unreadable. */
  depth: 256,
  /** A number, a literal or a key without quotes. */
  wordCharacters: 4_096,
  /** The name of a tool and what stands around it, before the arguments begin. */
  headerCharacters: 1_024,
  /** Opening markers before one call that are read as one. */
  openingMarkers: 8,
} as const;
