// Runs under any runtime that has ES modules: reads cases on the way in, prints what came of them.
// Arguments: the folder of the built package, the file of the cases.
const [dist, casesFile] = (globalThis.Deno ? Deno.args : process.argv.slice(2)).slice(-2);
const readText = async (file) =>
  globalThis.Deno ? Deno.readTextFile(file) : (await import('node:fs/promises')).readFile(file, 'utf8');

const { parseToolCalls, createParser, autoParseToolCalls } = await import(`${dist}/dialects/checked/index.js`);
const { createToolExecutor, defineTool, validateArguments } = await import(`${dist}/core/checked.js`);

const PIECE = 4;
const inPieces = (text, options) => {
  const parser = createParser(options);
  for (let at = 0; at < text.length; at += PIECE) parser.push(text.slice(at, at + PIECE));
  return parser.end().result;
};

const cases = JSON.parse(await readText(casesFile));
const read = cases.map(({ text, format, tools }) => [
  parseToolCalls(text, { dialect: format, tools }),
  inPieces(text, { dialect: format, tools }),
  autoParseToolCalls(text, { tools }),
]);

const add = defineTool({
  name: 'add',
  description: 'Add',
  parameters: {
    type: 'object',
    properties: { a: { type: 'integer' }, b: { type: 'integer', default: 2 } },
    required: ['a'],
  },
  run: ({ a, b }) => a + b,
});
const executor = createToolExecutor({ policy: () => 'ask' });
executor.start([{ id: 'call_1', name: 'add', arguments: { a: 1 }, source: 'native', repairs: [] }]);
const core = [
  executor.tick(),
  executor.state,
  executor.current()?.id,
  validateArguments(add.parameters, { a: 1 }, 'model'),
];
console.log(JSON.stringify({ read, core }));
