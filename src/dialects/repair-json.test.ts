import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { rounds } from '../../tests/support/long.ts';
import type { JsonValue } from '../core/json.ts';
import { jsonText } from './engine/lenient.ts';
import { pythonLiteral } from './engine/prompt.ts';
import { ValueScanner } from './engine/value-scanner.ts';
import { jsonInAnswer } from './json-in-answer.ts';
import { parseJsonLeniently } from './repair-json.ts';
import { isClosed, readJsonText } from './unclosed-json.ts';

const kinds = (text: string): string[] => {
  const read = parseJsonLeniently(text);
  return read.ok ? read.repairs.map(({ kind }) => kind) : [`refused: ${read.problem}`];
};
const value = (text: string): unknown => {
  const read = parseJsonLeniently(text);
  return read.ok ? read.value : undefined;
};

/** Like JSON.parse, -0 is the only number that does not come back the same; keys may be anything. */
const json = fc.jsonValue({ maxDepth: 5 }).map((one) => JSON.parse(JSON.stringify(one)) as JsonValue);

test.each([
  ['a trailing comma', '{"a": [1, 2,],}', { a: [1, 2] }, 'trailing_comma'],
  ['a doubled comma', '{"a": 1,, "b": 2}', { a: 1, b: 2 }, 'extra_comma'],
  ['a missing comma', '{"a": 1 "b": [{} {}]}', { a: 1, b: [{}, {}] }, 'missing_comma'],
  ['single quotes', `{'a': 'it is "so"'}`, { a: 'it is "so"' }, 'foreign_quotes'],
  ['curly quotes', '{“a”: “b”}', { a: 'b' }, 'foreign_quotes'],
  ['Python literals', '{"a": True, "b": None, "c": False}', { a: true, b: null, c: false }, 'foreign_literal'],
  [
    'other numbers',
    '{"a": 1_000, "b": .5, "c": +3, "d": 0x1f, "e": 007}',
    { a: 1000, b: 0.5, c: 3, d: 31, e: 7 },
    'foreign_literal',
  ],
  ['unquoted keys', '{a: 1, b_c: "x"}', { a: 1, b_c: 'x' }, 'unquoted_key'],
  ['missing closers', '{"a": {"b": [1, 2', { a: { b: [1, 2] } }, 'missing_closer'],
  ['a closer too many', '{"a": {"b": 1}}}', { a: { b: 1 } }, 'extra_closer'],
  ['a raw line break', '{"a": "x\ny\tz"}', { a: 'x\ny\tz' }, 'raw_control_character'],
  ['a backslash that escapes nothing', '{"a": "\\d+ C:\\Users"}', { a: '\\d+ C:\\Users' }, 'invalid_escape'],
  ['an unescaped quote', '{"a": "say "hi" now"}', { a: 'say "hi" now' }, 'unescaped_quote'],
  ['comments', '{"a": 1, // one\n /* two */ "b": 2 # three\n}', { a: 1, b: 2 }, 'comment_left_out'],
  ['a code fence', '```json\n{"a": 1}\n```', { a: 1 }, 'code_fence'],
  ['JSON in a JSON string', '"{\\"a\\": 1}"', { a: 1 }, 'double_encoded'],
  ['triple quotes', '{"a": """x "y"\nz"""}', { a: 'x "y"\nz' }, undefined],
])('repairs %s', (_, text, expected, kind) => {
  verifies('K5', 'L10');
  expect(value(text)).toEqual(expected);
  if (kind !== undefined) expect(kinds(text)).toContain(kind);
});

test.each([
  ['a word that could mean anything', '{"a": hello}'],
  ['a text that ends inside a string', '{"a": "hel'],
  ['a text that ends before a value', '{"a":'],
  ['a value that is missing', '{"a": , "b": 1}'],
  ['text behind the value', '{"a": 1} and so on'],
  ['text', 'hello there'],
  ['nothing', ''],
])('does not guess at %s', (_, text) => {
  verifies('L10');
  expect(parseJsonLeniently(text).ok).toBe(false);
});

test.each<[string, JsonValue | undefined]>([
  ['{"a": "x"', { a: 'x' }],
  ['{"a": {"b": true', { a: { b: true } }],
  ['{"a": [1, 2]', { a: [1, 2] }],
  ['{"a": 1\n', { a: 1 }],
  ['"{\\"a\\": \\"x\\""', { a: 'x' }],
  ['{"a": 12', undefined],
  ['{"a": 12.', undefined],
  ['{"a": 0x1f', undefined],
  ['{"a": [1, 2', undefined],
  ['{"a": [{"b": "x"}', undefined],
  ['[{"b": "x"', undefined],
  ['{"a": "x",', undefined],
  ['{"a": {', undefined],
  ['{', undefined],
  ['[', undefined],
])('what may have been cut is closed only where that is sure: %s', (text, sure) => {
  verifies('L10');
  const read = readJsonText(text, 'close if sure');
  expect(read.ok ? read.value : undefined).toEqual(sure);
  expect(readJsonText(text, 'refuse')).toEqual({ ok: false, problem: 'it ends before it is complete' });
});

test.each([
  '{"path":"a.js","content":"console.log("}")\nconst x = 1;\nconso',
  '{"cmd":"echo "}" > f; rm',
  '{"a": "say "}" and mo',
  '{"a": "say "}" and "mo',
])('a bracket within a text with quotes of its own closes nothing: %s', (text) => {
  verifies('L10');
  expect(isClosed(text)).toBe(false);
  expect(jsonInAnswer(text, true).ok).toBe(false);
  expect(jsonInAnswer(text, false).ok).toBe(false);
});

test('no beginning of an object or a list is read where what is open is refused', () => {
  verifies('L10');
  const whole = json.filter((one) => typeof one === 'object' && one !== null);
  fc.assert(
    fc.property(whole, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (one, share) => {
      const text = JSON.stringify(one);
      const part = text.slice(0, Math.floor(share * text.length));
      expect(readJsonText(part, 'refuse').ok).toBe(false);
      const sure = readJsonText(part, 'close if sure');
      if (sure.ok) expect(sure.repairs.map(({ kind }) => kind)).toContain('missing_closer');
    }),
    { numRuns: rounds(500, 20_000) },
  );
});

test('keeps brackets within bounds', () => {
  const deep = '['.repeat(100_000);
  expect(parseJsonLeniently(deep).ok).toBe(false);
  expect(parseJsonLeniently(`${deep}${']'.repeat(100_000)}`)).toBeDefined();
});

test('leaves JSON as it is, and repairs nothing in it', () => {
  verifies('L10');
  fc.assert(
    fc.property(json, (one) => {
      const sink = jsonText();
      const text = JSON.stringify(one);
      const scanner = new ValueScanner(sink);
      scanner.feed(text, 0, text.length);
      scanner.finish();
      expect(scanner.outcome).toBe('whole');
      expect(JSON.parse(sink.json)).toEqual(one);
      expect(sink.repairs).toEqual([]);
    }),
  );
});

test('reads every Python literal', () => {
  verifies('L10');
  fc.assert(
    fc.property(json, (one) => {
      expect(value(pythonLiteral(one))).toEqual(typeof one === 'string' ? value(JSON.stringify(one)) : one);
    }),
  );
});

test('gives strict JSON or refuses, for any text, in any pieces', () => {
  verifies('L10');
  const part = fc.constantFrom(
    ...'{}[](),:"\'\\ab1.-_tn \n',
    '"""',
    '\\u00e4',
    '“',
    '”',
    '//',
    '/*',
    '*/',
    'True',
    '```',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      const outcomes = [parts, [parts.join('')], [...parts.join('')]].map((pieces) => {
        const sink = jsonText();
        const scanner = new ValueScanner(sink);
        for (const piece of pieces) {
          if (!scanner.done) scanner.feed(piece, 0, piece.length);
        }
        scanner.finish();
        if (scanner.outcome === 'whole') JSON.parse(sink.json);
        return `${scanner.outcome} ${scanner.outcome === 'whole' ? sink.json : ''} ${JSON.stringify(sink.repairs)}`;
      });
      expect(new Set(outcomes).size).toBe(1);
    }),
    { numRuns: rounds(333, 10_000) },
  );
});
