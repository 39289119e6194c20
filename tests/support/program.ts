/**
 * The program that tests start. `npm test` builds first and names the built one, which is what people are handed and
 * starts six times as quickly; a single test file run by hand starts the sources.
 */
import path from 'node:path';
import { ROOT } from '../source-files.ts';

/** The folder of the build. */
export const BUILT = process.env['HALTER_TEST_DIST'];

/** `dist/cli/main.js` or `src/cli/main.ts`. */
export const MAIN = BUILT ? path.join(BUILT, 'cli/main.js') : path.join(ROOT, 'src/cli/main.ts');
/** What the program calls with the words of the command line. */
export const COMMAND_LINE = BUILT
  ? path.join(BUILT, 'cli/command-line.js')
  : path.join(ROOT, 'src/cli/command-line.ts');
/** What an older Node runs to find the right one. */
export const REEXECUTE = BUILT ? path.join(BUILT, 'chunks/reexecute.js') : path.join(ROOT, 'src/cli/reexecute.ts');
/** The entry of the library, for plugins that tests write. */
export const LIBRARY = BUILT ? path.join(BUILT, 'index.js') : path.join(ROOT, 'src/index.ts');

/** For Node, in front of a program that imports `halter` by name; and the variable that this wants. */
export const AS_PACKAGE = ['--import', path.join(ROOT, 'tests/support/as-package.mjs')];
export const AS_PACKAGE_ENV: Readonly<Record<string, string>> = BUILT ? { HALTER_TEST_DIST: BUILT } : {};
