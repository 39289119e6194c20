/**
 * Tests have two lengths. `npm test` is the usual one. `npm run test:long` runs every file that imports this module
 * again, with all its cases and many more random rounds.
 */
export const IS_LONG = process.env['HALTER_TESTS'] === 'long';

/**
 * The time limit of a test that needs more than the usual one, in milliseconds. A long run has fifty times the rounds and
 * may share its machine with others: there, no test has less than ten minutes.
 */
export const timeLimit = (usual: number): number => (IS_LONG ? Math.max(usual, 600_000) : usual);

/** A count of random rounds. */
export const rounds = (usual: number, long: number): number => (IS_LONG ? long : usual);

/** All of a list in a long run, every n-th entry otherwise. */
export const everyNth = <T>(list: readonly T[], n: number): readonly T[] =>
  IS_LONG ? list : list.filter((_, index) => index % n === 0);

/**
 * For rows that hold on each of several surfaces or protocols: usually each row is played on one of them, in turn, so that
 * all rows and all surfaces have their part; in a long run every row is played on all. `surface` counts from 0.
 */
export const inTurn = <T>(rows: readonly T[], surface: number, surfaces: number): readonly T[] =>
  IS_LONG ? rows : rows.filter((_, index) => index % surfaces === surface);

/** The same for tests that are written one by one: says of each in its order whether it is this surface's turn. */
export const turns = (surface: number, surfaces: number): (() => boolean) => {
  let index = -1;
  return () => {
    index += 1;
    return IS_LONG || index % surfaces === surface;
  };
};

/** What only a long run tries. */
export const onlyLong = <T>(list: readonly T[]): readonly T[] => (IS_LONG ? list : []);
