/**
 * Tests have two lengths. `npm test` is the usual one. `npm run test:long` runs every file that imports this module
 * again, with all its cases and many more random rounds.
 */
const IS_LONG = process.env['HALTER_TESTS'] === 'long';

/** A count of random rounds. */
export const rounds = (usual: number, long: number): number => (IS_LONG ? long : usual);

/** All of a list in a long run, every n-th entry otherwise. */
export const everyNth = <T>(list: readonly T[], n: number): readonly T[] =>
  IS_LONG ? list : list.filter((_, index) => index % n === 0);

/** What only a long run tries. */
export const onlyLong = <T>(list: readonly T[]): readonly T[] => (IS_LONG ? list : []);
