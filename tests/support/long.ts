/**
 * Tests have two lengths. `npm test` is the usual one. `npm run test:long` runs every file that imports this module
 * again, with more of its cases and more random rounds: some LONG_TIMES times the usual ones, so that the longer a table
 * grows, the more rows the two forms have between them and the less of them each plays. Which rows is no chance: the same
 * in every run. `HALTER_TESTS=whole` plays all there is, for one file after a change (hours for all of them), and so does
 * `npm run test:seeds`.
 */
export const IS_WHOLE = process.env['HALTER_TESTS'] === 'whole';
export const IS_LONG = IS_WHOLE || process.env['HALTER_TESTS'] === 'long';

/** How much more than the usual form the long one plays. */
const LONG_TIMES = 3;
const LONG_ROUNDS = 4;

/**
 * The time limit of a test that needs more than the usual one, in milliseconds. A long run has more rounds and may share
 * its machine with others: there, no test has less than ten minutes.
 */
export const timeLimit = (usual: number): number => (IS_LONG ? Math.max(usual, 600_000) : usual);

/** A count of random rounds: `whole` where all is played. */
export const rounds = (usual: number, whole: number): number => {
  if (IS_WHOLE) return whole;
  return IS_LONG ? Math.min(whole, usual * LONG_ROUNDS) : usual;
};

/**
 * Every n-th entry of a list; in a long run one of each few, at another place in each of these groups, so that what
 * comes back at a fixed distance in the list has its turn too.
 */
export const everyNth = <T>(list: readonly T[], n: number): readonly T[] => {
  if (!IS_LONG) return list.filter((_, index) => index % n === 0);
  const group = IS_WHOLE ? 1 : Math.ceil(n / LONG_TIMES);
  return list.filter((_, index) => (index + Math.floor(index / group)) % group === 0);
};

/**
 * For rows that hold on each of several surfaces or protocols: usually each row is played on one of them, in turn, so that
 * all rows and all surfaces have their part; in a long run on some more of them. `surface` counts from 0.
 */
export const inTurn = <T>(rows: readonly T[], surface: number, surfaces: number): readonly T[] =>
  rows.filter((_, index) => isTurn(index, surface, surfaces));

/** The same for tests that are written one by one: says of each in its order whether it is this surface's turn. */
export const turns = (surface: number, surfaces: number): (() => boolean) => {
  let index = -1;
  return () => {
    index += 1;
    return isTurn(index, surface, surfaces);
  };
};

const isTurn = (index: number, surface: number, surfaces: number): boolean =>
  IS_WHOLE || (index - surface + surfaces) % surfaces < (IS_LONG ? LONG_TIMES : 1);

/** What only a long run tries. */
export const onlyLong = <T>(list: readonly T[]): readonly T[] => (IS_LONG ? list : []);
