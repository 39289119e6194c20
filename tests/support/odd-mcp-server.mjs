/** An MCP server on its pipes that is odd in the way that its first argument names. Plain JavaScript, as servers are. */
import { createInterface } from 'node:readline';

const [, , kind = ''] = process.argv;
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const tool = (name, inputSchema = { type: 'object' }, more = {}) => ({ name, inputSchema, ...more });

const TOOLS = {
  names: ['söme täol', 'a.b', 'a_b', 'a b', '', '__proto__', 'x'.repeat(300), 'constructor', '../../etc', 'ok'].map(
    (name) => tool(name),
  ),
  many: Array.from({ length: 200 }, (_, n) =>
    tool(
      `tool_${n}`,
      {
        type: 'object',
        properties: { path: { type: 'string', description: `Where number ${n} works`.repeat(5) } },
        required: ['path'],
      },
      { description: `Does the thing number ${n} to a file. `.repeat(4) },
    ),
  ),
  flood: Array.from({ length: 1_200 }, (_, n) => tool(`tool_${n}`)),
  schemas: [
    tool('circle', {
      type: 'object',
      $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
      properties: { x: { $ref: '#/$defs/a' } },
    }),
    tool('tree', {
      type: 'object',
      $defs: {
        node: {
          type: 'object',
          properties: { value: { type: 'integer' }, next: { $ref: '#/$defs/node' } },
          required: ['value'],
        },
      },
      properties: { root: { $ref: '#/$defs/node' } },
      required: ['root'],
    }),
    tool('self', { $ref: '#' }),
    tool('nowhere', { type: 'object', properties: { x: { $ref: '#/$defs/none' } } }),
    tool('huge', {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`p${n}`, { type: 'string' }])),
    }),
    tool(
      'deep',
      Array.from({ length: 500 }).reduce((inner) => ({ type: 'object', properties: { x: inner } }), { type: 'string' }),
    ),
    tool('null', null),
    tool('text', 'a schema'),
    tool('pattern', { type: 'object', properties: { x: { type: 'string', pattern: '(a+)+$' }, y: { pattern: '(' } } }),
  ],
};
TOOLS.contradicting = [
  tool('go', { type: 'object', properties: { a: { enum: ['x'], const: 'y' } } }),
  tool('', { type: 'object' }),
];
const RESULTS = {
  audio: { content: [{ type: 'audio', mimeType: 'audio/wav', data: 'AAAA' }] },
  blob: { content: [{ type: 'resource', resource: { uri: 'x://y', mimeType: 'application/pdf', blob: 'AAAA' } }] },
  embedded: { content: [{ type: 'resource', resource: { uri: 'x://y', text: 'embedded words' } }] },
  link: { content: [{ type: 'resource_link', uri: 'x://y', name: 'y', description: 'a link' }] },
  structured: { content: [], structuredContent: { n: [1, 2] } },
  unknown: { content: [{ type: 'hologram', data: 1 }, null, 'text', { type: 'text' }] },
  none: {},
  odd: { content: 'not a list', structuredContent: 3 },
  failed: { content: [], isError: true },
};
if (kind === 'results') TOOLS.results = Object.keys(RESULTS).map((name) => tool(name));
if (kind === 'picture') {
  TOOLS.picture = [tool('picture')];
  RESULTS.picture = { content: [{ type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }] };
}

if (kind === 'stderr') {
  const flood = () => {
    while (process.stderr.write('words beside the protocol '.repeat(400)));
    process.stderr.once('drain', flood);
  };
  flood();
}
let calls = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  if (method === 'initialize') {
    if (kind === 'silent') continue;
    say({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: kind, version: '1' },
      },
    });
  } else if (method === 'tools/list') say({ id, result: { tools: TOOLS[kind] ?? [tool('go')] } });
  else if (method === 'tools/call') {
    calls += 1;
    if (kind === 'dies' && calls === 2) process.exit(7);
    say({
      id,
      result: Object.hasOwn(RESULTS, params.name)
        ? RESULTS[params.name]
        : { content: [{ type: 'text', text: `${params.name}: ${JSON.stringify(params.arguments)}` }] },
    });
  } else say({ id, result: {} });
}
