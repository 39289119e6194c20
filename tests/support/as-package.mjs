// `node --import THIS FILE`: a program that imports `halter` gets the sources, without a build.
import { registerHooks } from 'node:module';

const SOURCES = new URL('../../src/', import.meta.url);

registerHooks({
  resolve(specifier, context, next) {
    const [name, part] = specifier.split('/');
    if (name !== 'halter') return next(specifier, context);
    return { url: new URL(part === undefined ? 'index.ts' : `${part}/index.ts`, SOURCES).href, shortCircuit: true };
  },
});
