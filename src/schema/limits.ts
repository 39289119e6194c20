/** Named limits of schemas: they are written by whoever announces a tool, or asks for an answer. */
export const SCHEMA_LIMITS = {
  /** A regular expression longer than this is refused. */
  expressionCharacters: 10_000,
  /** Groups in groups. */
  expressionDepth: 100,
  /** Parts, where `a{500}` has five hundred. */
  expressionParts: 20_000,
  /** Expressions that are kept ready. */
  expressionsKept: 32,
  /** Parts that are tried on the characters of all texts of one value: a second at most. */
  checkSteps: 10_000_000,
} as const;

/** The same for what no page needs, which loads none of it. */
export const CONVERT_LIMITS = {
  /** Levels of a schema with its defaults, choices and examples. */
  depth: 64,
} as const;
