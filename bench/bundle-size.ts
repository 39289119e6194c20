/**
 * `node bench/bundle-size.ts`: the size of the parser as a browser loads it. Prompts are built elsewhere. A page without
 * a bundler loads the whole file; a bundler takes what the page of `docs/how-to/read-tool-calls.md` imports.
 */
import { gzipSync } from 'node:zlib';
import { bundleDialects } from '../scripts/bundle-dialects.ts';

/** What the documented page imports. */
const DOCUMENTED = ['createParser', 'stripToolCalls'];

export type BundleSize = { what: string; minified: number; gzipped: number };

const sizeOf = async (what: string, names?: readonly string[]): Promise<BundleSize> => {
  const code = await bundleDialects(names);
  return { what, minified: Buffer.byteLength(code), gzipped: gzipSync(code).length };
};

export const bundleSizes = async (): Promise<BundleSize[]> => [
  await sizeOf('the whole file'),
  await sizeOf(DOCUMENTED.join(' and '), DOCUMENTED),
];

export const printBundleSizes = async (): Promise<void> => {
  for (const { what, minified, gzipped } of await bundleSizes())
    console.log(`browser bundle, ${what}: ${minified} bytes minified, ${gzipped} gzipped`);
};

if (process.argv[1] === import.meta.filename) await printBundleSizes();
