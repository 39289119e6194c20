// `node --import THIS FILE`: a program that imports `halter` gets the build that HALTER_TEST_DIST names, which loads six times
// as quickly, or else the sources. Which file an entry is, package.json says.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

const ROOT = new URL('../../', import.meta.url);
const built = process.env.HALTER_TEST_DIST;
const LIBRARY = built ? pathToFileURL(`${built}/`) : new URL('src/', ROOT);
const { exports: entries } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));

registerHooks({
  resolve(specifier, context, next) {
    const entry = /^halter(?:\/|$)/.test(specifier) ? entries[specifier.replace('halter', '.')] : undefined;
    if (entry === undefined) return next(specifier, context);
    const file = (entry.node ?? entry.default).replace('./dist/', '');
    return { url: new URL(built ? file : file.replace(/\.js$/, '.ts'), LIBRARY).href, shortCircuit: true };
  },
});
