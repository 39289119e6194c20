/** Values that are hard to carry, in every notation: what is rendered is read again as it was, whole and cut anywhere. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../src/core/json.ts';
import { createParser, dialectNames, renderCall } from '../src/dialects/index.ts';
import { verifies } from './requirements.ts';
import { inTurn, rounds } from './support/long.ts';
import { seededRandom } from './support/seeded-random.ts';

const text = { type: 'string' };
const parameters = { type: 'object', properties: { path: text, content: text, note: text } };
const tools = [{ name: 'write_file', description: 'Writes.', parameters }];
const notations = dialectNames().filter((dialect) => dialect !== 'native');

const read = (dialect: string, whole: string, cut: () => number) => {
  const parser = createParser({ dialect, tools });
  for (let at = 0; at < whole.length; ) {
    const end = at + cut();
    parser.push(whole.slice(at, end));
    at = end;
  }
  return parser.end().result;
};

const BREAKS = ['x\n', '\nx', 'x\n\n', '\n\nx\n\n', 'a\nb\n', ' x ', '\tx\t', 'x\r\n', 'a\n  b\n  ', '\n', '\n\n', ' '];

/** Usually each value is played in every third notation. */
const THIRDS = 3;
const inTurns = notations.map((dialect, index) => [dialect, index % THIRDS] as const);

describe.each(inTurns)('%s keeps what stands at the ends of a value', (dialect, turn) => {
  it.each(inTurn(BREAKS, turn, THIRDS))('%j', (content) => {
    verifies('K4');
    const whole = renderCall(dialect, { name: 'write_file', arguments: { path: 'a.txt', content } });
    for (const size of [1, whole.length])
      expect(read(dialect, whole, () => size).calls[0]?.arguments).toEqual({ path: 'a.txt', content });
  });
});

const PIECES: readonly string[] = [
  'const f = (a, b) => a < b && b > 0 ? `x` : "x";',
  'if (x) { return { "a": [1, 2, {"b": null}] }; }',
  '{"name": "write_file", "arguments": {"path": "b", "content": "{\\"c\\": 1}"}}',
  '{"tool": "web_search", "args": {"query": "q"}}',
  '<note lang="de">Ä &amp; <b>fett</b> <!-- not --></note>',
  '<?xml version="1.0"?><a:b xmlns:a="u"/>',
  '👩‍👩‍👧‍👦 🏳️‍🌈 e\u0301 \u{1F600}',
  '^(?:[^"\\\\]|\\\\.)*$ \\d+\\s*\\(\\)[\\]{}]',
  'it\'s "quoted" and `ticked` and \'\'\'three\'\'\' and """three"""',
  'C:\\new\\table\\"x"\\',
  '```json\n{"a": 1}\n```',
  '# Title\n\n- one\n- two\n\n| a | b |\n|---|---|',
  'SELECT * FROM "t" WHERE a = \'b\'; -- ; DROP',
  'def f(x=1, *, y="2"):\n    return [x, y]\n',
  'write_file(path="x", content="y")',
  '\u0000\u0007\u001b[31m',
  'true',
  'null',
  '007',
  '1e400',
  'NaN',
  '-',
  '',
  '{',
  '}',
  ']',
  '"',
  "'",
  '\\',
];
/** How other notations begin and end their calls. */
const MARKS = notations.flatMap((dialect) => {
  const call = renderCall(dialect, { name: 'read_it', arguments: { k: 'v' } });
  return [call, call.slice(0, call.indexOf('read_it')), call.slice(call.lastIndexOf('v') + 1)];
});

describe('what a generator makes of such pieces', () => {
  it.each(notations)('%s', (dialect) => {
    verifies('K4');
    const random = seededRandom();
    const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const value = (): string => {
      const parts = Array.from({ length: 1 + Math.floor(random() * 4) }, () => one(random() < 0.7 ? PIECES : MARKS));
      return parts.join(one(['', ' ', '\n', '\n\n']));
    };
    const wrong: { args: JsonObject; got: unknown }[] = [];
    for (let row = 0; row < rounds(15, 40); row += 1) {
      const args: JsonObject = { path: 'a.txt', content: value(), ...(random() < 0.5 ? { note: value() } : {}) };
      const whole = renderCall(dialect, { name: 'write_file', arguments: args });
      for (const cut of [() => whole.length, () => 1 + Math.floor(random() * 9)]) {
        const { calls, broken } = read(dialect, whole, cut);
        const isRight = calls.length === 1 && JSON.stringify(calls[0]?.arguments) === JSON.stringify(args);
        // One that is told as broken is asked for again; another value would be used.
        if (!isRight && (calls.length > 0 || broken.length === 0)) wrong.push({ args, got: { calls, broken } });
      }
    }
    expect(wrong).toEqual([]);
  });
});
