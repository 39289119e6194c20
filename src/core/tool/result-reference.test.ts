import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { succeed } from '../outcome.ts';
import { fillReferences, referencesIn } from './result-reference.ts';

const native = (args: JsonObject) => ({ arguments: args, source: 'native' as const });
const parsed = (args: JsonObject) => ({ arguments: args, source: 'parsed' as const });
const texts = (entries: Record<string, string>) =>
  new Map(Object.entries(entries).map(([id, text]) => [id, succeed(text)] as const));
const filled = (args: JsonObject, entries: Record<string, string>) => fillReferences(native(args), texts(entries));

const RESULTS = { call_1: '[{"url":"https://a.example","a/b":{"~":1}},{"url":"x"}]', call_2: 'plain text' };

describe('a reference to an earlier result', () => {
  test.each<[string, JsonValue, JsonValue]>([
    ['the whole text', { $result: 'call_2' }, 'plain text'],
    ['the whole text of a JSON result', { $result: 'call_1' }, RESULTS.call_1],
    ['the whole document', { $result: 'call_1', pointer: '' }, JSON.parse(RESULTS.call_1)],
    ['a part of it', { $result: 'call_1', pointer: '/0/url' }, 'https://a.example'],
    ['a key with escaped characters', { $result: 'call_1', pointer: '/0/a~1b/~0' }, 1],
  ])('becomes %s', (_name, reference, value) => {
    verifies('E14');
    expect(filled({ x: reference }, RESULTS)).toEqual(succeed({ x: value }));
    expect(filled({ deep: { list: ['a', reference] } }, RESULTS)).toEqual(succeed({ deep: { list: ['a', value] } }));
  });

  test.each<[string, JsonValue, string]>([
    ['an unknown result', { $result: 'call_9' }, 'x: There is no earlier result call_9'],
    ['a place that is not there', { $result: 'call_1', pointer: '/0/uri' }, '"/0" has url, a/b'],
    ['a place behind the end of a list', { $result: 'call_1', pointer: '/7' }, 'it is a list of 2'],
    ['an inherited name', { $result: 'call_1', pointer: '/0/constructor' }, 'has no "/0/constructor"'],
    ['a pointer into text', { $result: 'call_2', pointer: '/a' }, 'is not JSON'],
    ['a pointer without its slash', { $result: 'call_1', pointer: '0' }, 'must be empty or begin with /'],
  ])('says what is wrong with %s', (_name, reference, problem) => {
    const answer = filled({ x: reference }, RESULTS);
    expect(answer.ok ? '' : answer.error.message).toContain(problem);
  });

  test.each<[string, JsonValue]>([
    ['another key beside it', { $result: 'call_1', note: 'x' }],
    ['an id that is no text', { $result: 1 }],
    ['a pointer that is no text', { $result: 'call_1', pointer: 0 }],
    ['the text of a reference in a native call', '{"$result": "call_1"}'],
  ])('is not seen in what has %s', (_name, value) => {
    expect(referencesIn(native({ x: value }))).toEqual([]);
    expect(filled({ x: value }, RESULTS)).toEqual(succeed({ x: value }));
  });

  test('is seen as text where the format carries text alone', () => {
    const call = parsed({ x: ' {"$result": "call_1", "pointer": "/1/url"} ' });
    expect(referencesIn(call)).toEqual(['call_1']);
    expect(fillReferences(call, texts(RESULTS))).toEqual(succeed({ x: 'x' }));
  });

  test('arguments without one stay as they are, whatever they hold', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (args) => {
        const call = native(args as JsonObject);
        const before = JSON.stringify(args);
        if (referencesIn(call).length > 0) return;
        expect(fillReferences(call, new Map())).toEqual(succeed(call.arguments));
        expect(JSON.stringify(args)).toBe(before);
      }),
    );
  });
});
