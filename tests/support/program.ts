/**
 * The program that tests start. `npm test` builds first and names the built one, which is what people are handed and
 * starts six times as quickly; a single test file run by hand starts the sources.
 */
import path from 'node:path';
import { ROOT } from '../source-files.ts';

const built = process.env['HALTER_TEST_DIST'];

/** `dist/cli/main.js` or `src/cli/main.ts`. */
export const MAIN = built ? path.join(built, 'cli/main.js') : path.join(ROOT, 'src/cli/main.ts');
/** What an older Node runs to find the right one. */
export const REEXECUTE = built ? path.join(built, 'chunks/reexecute.js') : path.join(ROOT, 'src/cli/reexecute.ts');
/** The entry of the library, for plugins that tests write. */
export const LIBRARY = built ? path.join(built, 'index.js') : path.join(ROOT, 'src/index.ts');
