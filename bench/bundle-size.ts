/** The size of the parser as a browser loads it: parse, strip and detect. Prompts are built elsewhere. */
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

const DIALECTS = new URL('../src/dialects/index.ts', import.meta.url).pathname;
const ENTRY = 'browser-entry';
const SOURCE = `export { autoParseToolCalls, createParser, detectDialect, stripToolCalls } from ${JSON.stringify(DIALECTS)};`;

/** The parser as one ES module that asks for nothing else. */
export const bundleDialects = async (options: { minify: boolean }): Promise<string> => {
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
  const { output } = await bundle.generate({ format: 'esm', minify: options.minify });
  await bundle.close();
  return output[0].code;
};

export const bundleSize = async (): Promise<{ minified: number; gzipped: number }> => {
  const code = await bundleDialects({ minify: true });
  return { minified: Buffer.byteLength(code), gzipped: gzipSync(code).length };
};
