import { createParser, renderCall } from './index.ts';

const dialect = process.argv[2] ?? 'hermes';
const LINE =
  'const total = items.filter((item) => item.price > 3 && item.name !== "x").map(({ price }) => price * 1.2);\n';
const TOOLS = [
  {
    type: 'function' as const,
    function: {
      name: 'write_file',
      description: '',
      parameters: { type: 'object', properties: { path: { type: 'string' }, content: { type: 'string' } } },
    },
  },
];
const text = renderCall(dialect, { name: 'write_file', arguments: { path: 'a', content: LINE.repeat(10000) } });
const n = +(process.argv[3] ?? 4);
const pieces: string[] = [];
for (let i = 0; i < text.length; i += n) pieces.push(text.slice(i, i + n));
for (let k = 0; k < 12; k++) {
  const p = createParser({ dialect, tools: TOOLS });
  const t = performance.now();
  let e = 0;
  for (const x of pieces) e += p.push(x).length;
  p.end();
  console.log((text.length / 1e3 / (performance.now() - t)).toFixed(1), 'MB/s', e);
}
