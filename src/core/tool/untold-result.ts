/**
 * Thrown where a tool ran to its end and its result cannot be told. What it did counts: a model that reads of a failure
 * would have it done again.
 */
export class UntoldResult extends Error {
  override readonly name = 'UntoldResult';
}
