/**
 * What a thrown or rejected value says. Anything may be thrown by code that is not ours: a value without a prototype, one
 * that fails when it is asked for its words. None of them may end more than the call that it came of.
 */
export const thrownText = (thrown: unknown): string => {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return 'it threw a value without words';
  }
};

/** The name of its kind: `TypeError`. */
export const thrownName = (thrown: unknown): string => {
  try {
    return (thrown instanceof Error && String(thrown.name)) || 'Error';
  } catch {
    return 'Error';
  }
};
