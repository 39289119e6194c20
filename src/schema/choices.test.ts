/** What is wrong with a value that fits none of several schemas is told of the one that it was meant for. */
import { expect, it } from 'vitest';
import { checkValue } from './check.ts';
import type { Schema } from './schema-value.ts';

const texts: Schema = { type: 'array', minItems: 1, items: { type: 'string' } };
const circle: Schema = {
  type: 'object',
  properties: { kind: { const: 'circle' }, radius: { type: 'number' } },
  required: ['kind', 'radius'],
};
const square: Schema = {
  type: 'object',
  properties: { kind: { enum: ['square', 'box'] }, side: { type: 'number' } },
  required: ['kind', 'side'],
};
const shape: Schema = { anyOf: [circle, square] };
const shapeOrNothing: Schema = {
  anyOf: [{ $ref: '#/$defs/circle' }, { $ref: '#/$defs/square' }, { type: 'null' }],
  $defs: { circle, square },
};

it.each<[schema: Schema, value: unknown, told: Record<string, string>]>([
  [{ oneOf: [{ type: 'string', minLength: 1 }, texts] }, '', { '': 'must have at least 1 character' }],
  [{ oneOf: [{ type: 'string' }, texts] }, [], { '': 'must have at least 1 item' }],
  [{ anyOf: [{ type: 'string' }, texts] }, ['a', 2], { '/1': 'must be string, not integer' }],
  [{ anyOf: [texts, { type: 'null' }] }, 7, { '': 'must fit one of array, null' }],
  [
    { anyOf: [{ $ref: '#/$defs/n' }, { type: 'null' }], $defs: { n: { type: 'number', minimum: 3 } } },
    2,
    { '': 'must be at least 3' },
  ],
  [shape, { kind: 'circle', radius: '2' }, { '/radius': 'must be number, not string' }],
  [shape, { kind: 'box' }, { '/side': 'is required (number)' }],
  [shape, { kind: 'star', radius: 2 }, { '/kind': 'must be one of "circle", "square", "box"' }],
  [shape, { radius: 2 }, { '/kind': 'must be one of "circle", "square", "box"' }],
  [shapeOrNothing, { kind: 'circle', radius: '2' }, { '/radius': 'must be number, not string' }],
  [shapeOrNothing, {}, { '/kind': 'must be one of "circle", "square", "box"' }],
  [{ properties: { of: shape } }, { of: { kind: 'circle' } }, { '/of/radius': 'is required (number)' }],
  [
    { anyOf: [{ minimum: 3 }, { multipleOf: 2 }] },
    1,
    { '': 'must fit one of a schema of its own, a schema of its own' },
  ],
  [
    { oneOf: [{ minimum: 1 }, { multipleOf: 2 }] },
    4,
    { '': 'must fit exactly one of a schema of its own, a schema of its own, and fits 2' },
  ],
  // A reference that leads back to itself.
  [{ anyOf: [{ $ref: '#' }, { type: 'null' }] }, 1, { '': 'cannot be checked: the schema leads back to itself' }],
])('%j says of %j: %j', (schema, value, told) => {
  expect(Object.fromEntries(checkValue(schema, value).map(({ path, message }) => [path, message]))).toEqual(told);
});
