/** The size of the parser as a browser loads it: parse, strip and detect. Prompts are built elsewhere. */
import { gzipSync } from 'node:zlib';
import { bundleDialects } from '../scripts/bundle-dialects.ts';

export const bundleSize = async (): Promise<{ minified: number; gzipped: number }> => {
  const code = await bundleDialects();
  return { minified: Buffer.byteLength(code), gzipped: gzipSync(code).length };
};
