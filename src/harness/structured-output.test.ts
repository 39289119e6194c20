/** An answer is read by its schema, however that is given. */
import { expect, test } from 'vitest';
import type { JsonSchemaInput } from '../schema/index.ts';
import { outputFormat } from './structured-output.ts';

const city = {
  type: 'object',
  properties: { name: { type: 'string' }, people: { type: 'integer' } },
  required: ['name'],
};
const tree = { type: 'object', properties: { part: { anyOf: [{ type: 'string' }, { $ref: '#' }] } } };
const $defs = { city, list: { type: 'array', items: { $ref: '#/$defs/city' } } };

test.each<[string, JsonSchemaInput, unknown]>([
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
  ['a reference to the whole', { anyOf: [tree] }, { part: 'a' }],
])('%s', async (_name, schema, value) => {
  expect(await outputFormat(schema).read(JSON.stringify(value))).toEqual({ ok: true, value });
  const wrong = await outputFormat(schema).read('{"name":{},"people":"x","part":[]}');
  expect(wrong.ok).toBe(false);
});
