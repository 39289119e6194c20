/** The parser as one small file for pages that have no bundler, or do not want to need one. */
import { type Plugin, rolldown } from 'rolldown';

const ENTRY = new URL('../src/dialects/browser.ts', import.meta.url).pathname;

/** Properties that people and tool definitions name, by `src/dialects/types.ts` and `profiles.ts`. */
const PUBLIC = [
  ...['push', 'end', 'events', 'result', 'dialect', 'content', 'reasoning', 'calls', 'broken', 'truncated', 'type'],
  ...[
    'text',
    'index',
    'id',
    'name',
    'delta',
    'call',
    'problem',
    'reason',
    'arguments',
    'argumentsText',
    'repairs',
    'kind',
  ],
  ...['detail', 'tools', 'startInReasoning', 'makeId', 'function', 'description', 'parameters', 'model', 'template'],
  ...['properties', 'items'],
];
/** Keys that are looked up by a word of the text, or by a word of the engine. */
const LOOKED_UP = [
  ...['true', 'false', 'null', 'True', 'False', 'None', 'TRUE', 'FALSE', 'NULL', 'undefined', 'nan', 'NaN', 'Infinity'],
  ...['a', 'v', 'x', 'u', 'U', 'str', 'text', 'int', 'float', 'double', 'bool', 'dict', 'list', 'tuple'],
  ...['json', 'named', 'python', 'tags', 'pairs', 'elements', 'code', 'routine', 'array', 'tool', 'lines'],
];

const prototypesOf = (value: unknown): object[] => {
  const found: object[] = [];
  for (let at = Object(value) as object | null; at !== null; at = Object.getPrototypeOf(at)) found.push(at);
  return found;
};

/** The language's own: of its classes, their instances, and what iterators give back. */
const languageNames = (): string[] => {
  const classes = [Object, Array, String, Number, Boolean, BigInt, Map, Set, WeakMap, RegExp, RangeError, Uint8Array];
  const iterators = [[].values(), new Map().values(), (function* () {})()];
  const owners = [...classes.flatMap((one) => [one, one.prototype]), JSON, Math, ...iterators];
  return [...owners.flatMap(prototypesOf).flatMap((owner) => Object.getOwnPropertyNames(owner)), 'value', 'done'];
};

const SOME = 'some-names';
const reexporting = (names: readonly string[]): Plugin => ({
  name: SOME,
  resolveId: (id) => (id === SOME ? id : null),
  load: (id) => (id === SOME ? `export { ${names.join(', ')} } from ${JSON.stringify(ENTRY)};` : null),
});

/**
 * One ES module. The names of properties that nobody outside can see are shortened too. `names`: of what it exports only
 * these, which is what a bundler makes of a page that imports them.
 */
export const bundleDialects = async (names?: readonly string[]): Promise<string> => {
  const some = names === undefined ? { input: ENTRY } : { input: SOME, plugins: [reexporting(names)] };
  const bundle = await rolldown({ ...some, platform: 'browser' });
  const reserved = [...new Set([...PUBLIC, ...LOOKED_UP, ...languageNames()])];
  const { output } = await bundle.generate({
    format: 'esm',
    comments: false,
    minify: { compress: true, mangle: true, mangleProps: { include: /^[a-zA-Z]/, reserved } },
  });
  await bundle.close();
  return output[0].code;
};
