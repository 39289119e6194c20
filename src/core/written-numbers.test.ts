import { describe, expect, test } from 'vitest';
import { finishCall, parseArgumentsOnly } from '../providers/arguments.ts';
import type { JsonObject, JsonSchema } from './json.ts';
import { validateArguments } from './validate-arguments.ts';
import { keepWritten, parseWritten, writtenJson, writtenNumber } from './written-numbers.ts';

const WRITTEN = [
  '1187654321098765432',
  '9007199254740993',
  '1.10',
  '1.1',
  '1e3',
  '1E+2',
  '-0',
  '0.0',
  '1e400',
  '42',
  '-7',
];
const text: JsonSchema = { type: 'string' };
const places: [string, JsonSchema, (number: string) => string, (args: JsonObject) => unknown][] = [
  ['an argument', text, (number) => `{"a":${number}}`, ({ a }) => a],
  ['a list', { type: 'array', items: text }, (number) => `{"a":["x",${number}]}`, ({ a }) => (a as string[])[1]],
  [
    'an object',
    { type: 'object', properties: { b: text } },
    (number) => `{"a":{"c":"\\\\\\"9.90","b": ${number} }}`,
    ({ a }) => (a as JsonObject)['b'],
  ],
  [
    'a record',
    { type: 'object', additionalProperties: text },
    (number) => `{"a":{"b":${number}}}`,
    ({ a }) => (a as JsonObject)['b'],
  ],
  ['one of several types', { type: ['string', 'null'] }, (number) => `{"a":${number}}`, ({ a }) => a],
];

test('arguments that a server sends as text keep their digits, and those that it sends as a value do not', () => {
  const parameters: JsonSchema = { type: 'object', properties: { id: text } };
  const json = '{"id":1187654321098765432}';
  const read = (args: unknown) => {
    const [call] = finishCall(
      { name: 'look', arguments: args, repairs: [] },
      { repairArguments: parseArgumentsOnly, cutBy: undefined },
    );
    return validateArguments(parameters, call?.arguments, 'model');
  };
  expect(read(json)).toMatchObject({ arguments: { id: '1187654321098765432' } });
  expect(read(JSON.stringify(json))).toMatchObject({ arguments: { id: '1187654321098765432' } });
  expect(read(JSON.parse(json))).toMatchObject({ issues: ['id must be text: write it in quotes'] });
});

describe('a number where a text is wanted', () => {
  test.each(places)('is the digits that were written: %s', (_, schema, json, at) => {
    const parameters: JsonSchema = { type: 'object', properties: { a: schema } };
    for (const number of WRITTEN) {
      const checked = validateArguments(parameters, parseWritten(json(number)), 'model');
      expect(checked.ok && at(checked.arguments)).toBe(number);
    }
  });

  test('is asked for again where nobody knows how it was written', () => {
    const parameters: JsonSchema = { type: 'object', properties: { id: text } };
    for (const id of [2 ** 60, 1.1, -0, Number.POSITIVE_INFINITY])
      expect(validateArguments(parameters, { id }, 'model')).toEqual({
        ok: false,
        issues: ['id must be text: write it in quotes'],
      });
    expect(validateArguments(parameters, { id: 42 }, 'model')).toMatchObject({ arguments: { id: '42' } });
  });

  test('is a text where a number would be another one', () => {
    const parameters: JsonSchema = { type: 'object', properties: { id: { type: ['number', 'string'] } } };
    const read = (json: string) => validateArguments(parameters, parseWritten(json), 'model');
    expect(read('{"id":9007199254740993}')).toMatchObject({ arguments: { id: '9007199254740993' } });
    expect(read('{"id":1.5}')).toMatchObject({ arguments: { id: 1.5 } });
  });
});

test.each([
  ['9007199254740993', true],
  ['9007199254740993.0', true],
  ['9.007199254740993e15', true],
  ['12345678901234567890.25', true],
  ['1e400', true],
  ['1e-400', true],
  ['-0.0000001e-400', true],
  ['9007199254740992', false],
  ['6.02214076e23', false],
  ['1E5', false],
  ['1.10', false],
  ['-0.0', false],
  ['0e5', false],
  ['5e-324', false],
  ['0.30000000000000004', false],
  ['3.14159265358979323846', false],
])('%s is another number as a value: %s', (digits, isAnother) => {
  const checked = validateArguments({ type: 'object' }, parseWritten(`{"n":[${digits}]}`), 'strict');
  if (checked.ok) expect(checked.inexact).toEqual(isAnother ? ['n.0'] : undefined);
  else expect({ isAnother, issues: checked.issues }).toEqual({ isAnother: true, issues: ['n is too large'] });
});

test('JSON is written with the numbers that were read', () => {
  const json = '{"a":[1.10,{"b":-0,"c":"1.10"}],"d":12345678901234567890}';
  const value = parseWritten(json);
  expect(writtenJson(value)).toBe(json);
  expect(writtenJson(parseWritten('{"a":7}', new Map([[5, '007']])))).toBe('{"a":7}');
  expect(writtenNumber(keepWritten(value as JsonObject, { ...(value as JsonObject) }), 'd')).toBe(
    '12345678901234567890',
  );
});
