/** What is said of a run of tests that reached its limit. */

const MOST_NAMES = 20;

/** Of the files: which were in work when it was ended, and which had not begun. */
export const cutOff = (
  limitMs: number,
  { running = [], waiting = [] }: { running?: readonly string[]; waiting?: readonly string[] },
): { title: string; text: string } => ({
  title: `the tests were ended at their limit of ${Math.round(limitMs / 1_000)} s (RUN_MS in scripts/run-tests.mjs)`,
  text: [`in work: ${listed(running)}`, `not begun: ${listed(waiting)}`].join('\n'),
});

const listed = (names: readonly string[]): string => {
  if (names.length === 0) return 'none';
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return names.slice(0, MOST_NAMES).join(', ') + more;
};
