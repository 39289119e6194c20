/** Whether a count that is lower than expected shows a prompt that was cut, or an estimate that is off. */

export type CountEvidence = {
  /** What the server counted, and what was expected. */
  read: number;
  expected: number;
  /** The count is one that windows have. */
  isRound: boolean;
  /** No tokenizer makes so few tokens of the words. */
  isImpossible: boolean;
  /** More than one count did not grow with its prompt. */
  isStalled: boolean;
  /** What the server or the person says of the window. */
  told?: number | undefined;
  /** The largest prompt that the same server has counted whole. */
  whole: number;
  /** What it counted when a prompt looked cut last. */
  before?: number | undefined;
};

/**
 * A cut makes counts smaller, and cuts at the same place again. Where a window holds the prompt by all that is known, one
 * low count alone may be of a tokenizer that joins what the estimate parts, such as digits and log lines.
 */
export const isCutBeyondDoubt = (evidence: CountEvidence): boolean => {
  const { read, expected, isRound, isImpossible, isStalled, told, whole, before } = evidence;
  if (read >= expected) return false;
  const isHeld = (told !== undefined && told >= expected) || whole >= expected;
  if (!isHeld || isRound || isImpossible || isStalled) return true;
  return before !== undefined && Math.abs(read - before) <= SAME_PLACE_TOKENS;
};
/** A cut at a number of tokens may fall a few tokens before it. */
const SAME_PLACE_TOKENS = 16;
