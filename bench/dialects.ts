/**
 * Throughput of the parser on one call with a code-like argument: the whole text at once, and in pieces of four
 * characters as a model streams it; how time grows with size; and the size of the browser bundle.
 * `node bench/dialects.ts [dialect …]`
 */
import { createParser, dialectNames, renderCall } from '../src/dialects/index.ts';
import { printBundleSizes } from './bundle-size.ts';

const TOOLS = [
  {
    type: 'function' as const,
    function: {
      name: 'write_file',
      description: 'Writes a file.',
      parameters: { type: 'object', properties: { path: { type: 'string' }, content: { type: 'string' } } },
    },
  },
];
const LINE =
  'const total = items.filter((item) => item.price > 3 && item.name !== "x").map(({ price }) => price * 1.2);\n';
const MEGABYTE = 1_000_000;
const SIZES = [64_000, 256_000, 1_000_000, 4_000_000];
const PIECE = 4;
/** The best of these counts: whatever else the machine does only ever makes a run slower. */
const RUNS = 9;

const messageOf = (dialect: string, size: number): string => {
  const content = LINE.repeat(Math.ceil(size / LINE.length)).slice(0, size);
  return renderCall(dialect, { name: 'write_file', arguments: { path: 'src/a.ts', content } });
};

const piecesOf = (text: string): string[] => {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += PIECE) pieces.push(text.slice(at, at + PIECE));
  return pieces;
};

/** Seconds of one parse, and whether it found the call whole. */
const parse = (dialect: string, pieces: readonly string[]): { seconds: number; right: boolean } => {
  const parser = createParser({ dialect, tools: TOOLS });
  const start = performance.now();
  let events = 0;
  for (const piece of pieces) events += parser.push(piece).length;
  const { result } = parser.end();
  const seconds = (performance.now() - start) / 1000;
  return { seconds, right: events >= 0 && result.calls.length === 1 };
};

const best = (dialect: string, pieces: readonly string[], runs = RUNS): { seconds: number; right: boolean } => {
  const results = Array.from({ length: runs }, () => parse(dialect, pieces));
  return {
    seconds: Math.min(...results.map(({ seconds }) => seconds)),
    right: results.every(({ right }) => right),
  };
};

/** A long run is steadier, and there is less time for it. */
const runsFor = (text: string): number => (text.length > 2 * MEGABYTE ? 3 : RUNS);

const rate = (characters: number, seconds: number): string => (characters / MEGABYTE / seconds).toFixed(1);

const asked = process.argv.slice(2);
const dialects = asked.length > 0 ? asked : dialectNames().filter((name) => name !== 'native');

console.log('MB/s on a message of 1 MB; growth is time for 4 MB over time for 64 KB, 62.5 where it is linear.\n');
console.log(
  `${'dialect'.padEnd(18)}${'whole'.padStart(9)}${'4 chars'.padStart(9)}${'growth'.padStart(9)}${'growth4'.padStart(9)}`,
);
let slowestWhole = Number.POSITIVE_INFINITY;
let slowestStream = Number.POSITIVE_INFINITY;
for (const dialect of dialects) {
  const texts = SIZES.map((size) => messageOf(dialect, size));
  const pieces = texts.map(piecesOf);
  for (let i = 0; i < RUNS; i++) parse(dialect, pieces[0] ?? []);
  const whole = texts.map((text) => best(dialect, [text], runsFor(text)));
  const streamed = pieces.map((list, i) => best(dialect, list, runsFor(texts[i] ?? '')));
  const right = [...whole, ...streamed].every((result) => result.right);
  const length = texts[2]?.length ?? 0;
  const [first, , third, last] = whole.map(({ seconds }) => seconds) as [number, number, number, number];
  const [firstS, , thirdS, lastS] = streamed.map(({ seconds }) => seconds) as [number, number, number, number];
  slowestWhole = Math.min(slowestWhole, length / MEGABYTE / third);
  slowestStream = Math.min(slowestStream, length / MEGABYTE / thirdS);
  console.log(
    `${dialect.padEnd(18)}${rate(length, third).padStart(9)}${rate(length, thirdS).padStart(9)}${(last / first).toFixed(0).padStart(9)}${(lastS / firstS).toFixed(0).padStart(9)}${right ? '' : '   WRONG RESULT'}`,
  );
}
console.log(`\nslowest: ${slowestWhole.toFixed(1)} MB/s whole, ${slowestStream.toFixed(1)} MB/s in pieces of ${PIECE}`);

await printBundleSizes();
