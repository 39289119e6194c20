/** An answer is read by its schema, however that is given. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ParametersInput } from '../schema/index.ts';
import { outputFormat } from './structured-output.ts';

const city = {
  type: 'object',
  properties: { name: { type: 'string' }, people: { type: 'integer' } },
  required: ['name'],
};
const tree = { type: 'object', properties: { part: { anyOf: [{ type: 'string' }, { $ref: '#' }] } } };
const $defs = { city, list: { type: 'array', items: { $ref: '#/$defs/city' } } };

test.each<[string, ParametersInput, unknown]>([
  ['keys by their form', z.looseRecord(z.string().regex(/^n/), z.string()), { name: 'Ulm', y: 'keep' }],
  ['itself', city, { name: 'Ulm', people: 7 }],
  ['a reference to an object', { $ref: '#/$defs/city', $defs }, { name: 'Ulm', people: 7 }],
  ['a reference to a list', { $ref: '#/$defs/list', $defs }, [{ name: 'Ulm', people: 7 }]],
  ['a reference to a text', { $ref: '#/$defs/text', $defs: { text: { type: 'string' } } }, 'Ulm'],
  ['any of several references', { anyOf: [{ $ref: '#/$defs/city' }, { type: 'null' }], $defs }, { name: 'Ulm' }],
  [
    'one of several references',
    { oneOf: [{ $ref: '#/$defs/list' }, { $ref: '#/$defs/city' }], $defs },
    [{ name: 'Ulm' }],
  ],
  [
    'all of several',
    { allOf: [{ $ref: '#/$defs/city' }, { required: ['people'] }], $defs },
    { name: 'Ulm', people: 7 },
  ],
  ['a list of references', { type: 'array', items: { $ref: '#/$defs/city' }, $defs }, [{ name: 'Ulm' }]],
  [
    'parts that are joined',
    { type: 'object', allOf: [{ properties: city.properties, required: ['name'] }] },
    { name: 'U' },
  ],
  ['further entries', { type: 'object', allOf: [city] }, { name: 'Ulm', other: { deep: 1 } }],
  ['a text that is JSON', { type: 'string' }, '{"a":1}'],
  ['a text that is a number', { type: 'string', minLength: 3 }, '1.0'],
  ['a reference to the whole', { anyOf: [tree] }, { part: 'a' }],
])('%s', async (_name, schema, value) => {
  expect(await outputFormat(schema).read(JSON.stringify(value))).toEqual({ ok: true, value });
  const wrong = await outputFormat(schema).read('{"name":{},"people":"x","part":[]}');
  expect(wrong.ok).toBe(false);
});

test.each<[string, unknown, RegExp]>([
  ['a misspelt word', { type: 'object', propertys: {} }, /The schema of chat\(\): \/propertys is no word .*properties/],
  ['a class', class City {}, /the class City, and no schema/],
])('%s is refused', (_name, schema, words) => {
  expect(() => outputFormat(schema as ParametersInput)).toThrow(words);
});

test('a format is checked', async () => {
  const { read } = outputFormat({ type: 'object', properties: { on: { type: 'string', format: 'date' } } });
  expect(await read('{"on":"2026-01-31"}')).toEqual({ ok: true, value: { on: '2026-01-31' } });
  expect(await read('{"on":"tomorrow"}')).toEqual({ ok: false, problem: '/on must be a date, such as 2026-01-31' });
});

const COLOURS = ['red', 'dark blue'];
test.each<[string, ParametersInput, string, string | undefined]>([
  ['a text', z.string(), 'Ulm is nice.', 'Ulm is nice.'],
  ['a text in quotes', z.string(), '"Ulm"', 'Ulm'],
  ['a text that goes on', z.string().transform((text) => text.toUpperCase()), ' ulm\n', 'ULM'],
  ['one of several texts', z.enum(COLOURS), 'dark blue', 'dark blue'],
  ['one of several texts, without a type', { enum: COLOURS }, 'red\n', 'red'],
  ['another text', z.enum(COLOURS), 'green', undefined],
  ['a date', { type: 'string', format: 'date' }, '2026-01-31', '2026-01-31'],
  ['no date', { type: 'string', format: 'date' }, 'tomorrow', undefined],
  ['a short text', { type: 'string', minLength: 9 }, 'Ulm', undefined],
  ['nothing', z.string(), '', undefined],
  ['words where anything may stand', {}, 'Ulm is nice.', undefined],
  ['words where a text or an object may stand', z.union([z.string(), z.object({})]), 'Ulm', undefined],
])('%s without quotes is a text where only a text is asked for', async (_name, schema, answer, value) => {
  const read = await outputFormat(schema).read(answer);
  expect(read.ok ? read.value : undefined).toBe(value);
});
