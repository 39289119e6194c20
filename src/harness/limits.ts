/** Limits of the library's own. */
export const HARNESS_LIMITS = {
  /** How often an answer that does not fit its schema is asked for again. */
  outputAttempts: 2,
  /** So much of an answer with a schema is read again at every delta, to tell the parts of its value. */
  partialOutputCharacters: 4_096,
  /** Behind that, when it has grown by this share. */
  partialOutputGrowth: 1 / 4,
  /** Parts of a longer one are told only where it needs no mending: reading 2,000,000 characters took half a second. */
  partialOutputMendedCharacters: 131_072,
  /** No part is told while more brackets are open. */
  partialOutputDepth: 512,
  /** An answer to a question of an earlier request counts for so long. */
  approvalMs: 24 * 60 * 60 * 1000,
  /** So many answers are remembered, so that none counts twice. */
  approvalsKept: 10_000,
  /** A shorter secret could be tried out. */
  approvalSecretCharacters: 32,
} as const;
