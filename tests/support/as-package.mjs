// `node --import THIS FILE`: a program that imports `halter` gets the build that HALTER_TEST_DIST names, which loads six times
// as quickly, or else the sources.
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

const built = process.env.HALTER_TEST_DIST;
const LIBRARY = built ? pathToFileURL(`${built}/`) : new URL('../../src/', import.meta.url);
const INDEX = built ? 'index.js' : 'index.ts';

registerHooks({
  resolve(specifier, context, next) {
    const [name, part] = specifier.split('/');
    if (name !== 'halter') return next(specifier, context);
    return { url: new URL(part === undefined ? INDEX : `${part}/${INDEX}`, LIBRARY).href, shortCircuit: true };
  },
});
