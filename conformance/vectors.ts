/** Runs one tool-call vector through the parser: at once, in pieces of several sizes, and split at random. */
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../src/core/json.ts';
import { createParser, dialectNames, type ParseResult, type ToolDefinition } from '../src/dialects/index.ts';
import { randomFrom } from '../tests/support/random.ts';

export type Vector = {
  id: string;
  format: string;
  text: string;
  startInReasoning?: boolean;
  tools?: ToolDefinition[];
  expected: {
    content: string | null;
    reasoning: string | null;
    calls: { name: string; arguments: JsonObject; id?: string }[];
    truncated?: boolean;
  };
  judge?: 'calls';
};

const PIECE_LENGTHS = [1, 2, 3, 7];
const RANDOM_SPLITS = 8;

export const isVector = (value: object): value is Vector =>
  'id' in value && 'format' in value && 'text' in value && typeof value.text === 'string' && 'expected' in value;

/** What is wrong; undefined where nothing is. */
export const runVector = (vector: Vector): string | undefined => {
  if (!dialectNames().includes(vector.format)) return `there is no dialect ${vector.format}`;
  const whole = parse(vector, [vector.text]);
  return judge(vector, whole) ?? splitProblem(vector, whole);
};

const parse = (vector: Vector, pieces: readonly string[]): ParseResult => {
  const parser = createParser({
    dialect: vector.format,
    ...(vector.tools ? { tools: vector.tools } : {}),
    ...(vector.startInReasoning ? { startInReasoning: true } : {}),
  });
  for (const piece of pieces) parser.push(piece);
  return parser.end().result;
};

/** White space at the seams of calls and prose is nobody's meaning. */
const words = (text: string | null): string => (text ?? '').replaceAll(/\s+/g, ' ').trim();
const short = (value: unknown): string => JSON.stringify(value)?.slice(0, 300) ?? 'nothing';

/** As JSON values: 1 is 1.0, and the order of keys is free. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const judge = ({ expected, judge: only }: Vector, result: ParseResult): string | undefined => {
  const calls = result.calls.map(({ name, arguments: args }) => ({ name, arguments: args }));
  const wanted = expected.calls.map(({ name, arguments: args }) => ({ name, arguments: args }));
  if (!isDeepStrictEqual(plain(calls), plain(wanted))) return `calls: ${short(calls)} instead of ${short(wanted)}`;
  if (expected.truncated) return result.truncated ? undefined : 'the cut call was not reported as truncated';
  if (result.truncated) return 'reported as truncated, and it is whole';
  if (only === 'calls') return undefined;
  for (const part of ['content', 'reasoning'] as const) {
    if (words(result[part]) !== words(expected[part])) {
      return `${part}: ${short(result[part])} instead of ${short(expected[part])}`;
    }
  }
  return undefined;
};

const splitProblem = (vector: Vector, whole: ParseResult): string | undefined => {
  const meaning = ({ calls, content, reasoning, truncated }: ParseResult) => ({
    calls: calls.map(({ name, arguments: args }) => ({ name, arguments: args })),
    content,
    reasoning,
    truncated,
  });
  const splits: [string, string[]][] = [
    ...PIECE_LENGTHS.map((length): [string, string[]] => [`in pieces of ${length}`, cut(vector.text, () => length)]),
    ...Array.from({ length: RANDOM_SPLITS }, (_, seed): [string, string[]] => {
      const random = randomFrom(seed + 1);
      return [`split at random (seed ${seed + 1})`, cut(vector.text, () => 1 + Math.floor(random() * 12))];
    }),
  ];
  for (const [how, pieces] of splits) {
    const result = parse(vector, pieces);
    if (!isDeepStrictEqual(meaning(result), meaning(whole))) return `${how}: ${short(meaning(result))}`;
  }
  return undefined;
};

const cut = (text: string, length: () => number): string[] => {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = start + length();
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
};
