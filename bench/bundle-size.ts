/** The size of the parser as a browser loads it: parse, strip and detect. Prompts are built elsewhere. */
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

const DIALECTS = new URL('../src/dialects/index.ts', import.meta.url).pathname;
const ENTRY = 'browser-entry';
const SOURCE = `export { autoParseToolCalls, createParser, detectDialect, stripToolCalls } from ${JSON.stringify(DIALECTS)};`;

export const bundleSize = async (): Promise<{ minified: number; gzipped: number }> => {
  const bundle = await rolldown({
    input: ENTRY,
    platform: 'browser',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === ENTRY ? id : undefined),
        load: (id) => (id === ENTRY ? SOURCE : undefined),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  const [{ code }] = output;
  return { minified: Buffer.byteLength(code), gzipped: gzipSync(code).length };
};
