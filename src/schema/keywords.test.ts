/** Keywords of JSON Schema 2020-12, and older names of them: what fits is kept as it is, what does not is told. */
import { describe, expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { validateArguments } from '../core/validate-arguments.ts';
import { checkValue, type Schema, type SchemaValue, schemaFaults } from './index.ts';

type Row = { schema: Schema; fits: SchemaValue[]; not: SchemaValue[] };
const NUMBER = { type: 'number' };

const ROWS: Readonly<Record<string, Row>> = {
  patternProperties: {
    schema: { type: 'object', patternProperties: { '^x': NUMBER } },
    fits: [{ x1: 3 }, {}, { x1: 3, x2: 4 }],
    not: [{ x1: 'abc' }, { x1: 3, x2: [] }],
  },
  'patternProperties beside closed ones': {
    schema: {
      type: 'object',
      properties: { a: NUMBER },
      patternProperties: { '^x': NUMBER },
      additionalProperties: false,
    },
    fits: [{ x1: 3 }, { a: 1, x1: 3 }],
    not: [{ y: 1 }, { x1: 'abc' }],
  },
  'patternProperties that fit a named one too': {
    schema: { type: 'object', properties: { xa: NUMBER }, patternProperties: { '^x': { minimum: 5 } } },
    fits: [{ xa: 5 }],
    not: [{ xa: 4 }],
  },
  'patternProperties without the rules for Unicode': {
    schema: { type: 'object', patternProperties: { '^\\_': NUMBER } },
    fits: [{ _a: 1 }],
    not: [{ _a: 'x' }],
  },
  additionalProperties: {
    schema: { type: 'object', properties: {}, additionalProperties: NUMBER },
    fits: [{ a: 1 }],
    not: [{ a: 'x' }],
  },
  propertyNames: {
    schema: { type: 'object', additionalProperties: true, propertyNames: { pattern: '^[a-z]+$' } },
    fits: [{ abc: 1 }],
    not: [{ A: 1 }],
  },
  dependentRequired: {
    schema: { type: 'object', additionalProperties: true, dependentRequired: { a: ['b'] } },
    fits: [{ a: 1, b: 1 }, { b: 1 }],
    not: [{ a: 1 }],
  },
  dependentSchemas: {
    schema: { type: 'object', additionalProperties: true, dependentSchemas: { a: { required: ['b'] } } },
    fits: [{ a: 1, b: 1 }, {}],
    not: [{ a: 1 }],
  },
  dependencies: {
    schema: { type: 'object', additionalProperties: true, dependencies: { a: ['b'], c: { required: ['d'] } } },
    fits: [
      { a: 1, b: 1 },
      { c: 1, d: 1 },
    ],
    not: [{ a: 1 }, { c: 1 }],
  },
  contains: { schema: { type: 'array', contains: { const: 1 } }, fits: [[1], [2, 1]], not: [[], [2]] },
  'minContains and maxContains': {
    schema: { type: 'array', contains: { const: 1 }, minContains: 2, maxContains: 3 },
    fits: [
      [1, 1],
      [1, 1, 1, 2],
    ],
    not: [[1], [1, 1, 1, 1]],
  },
  'minContains 0': { schema: { type: 'array', contains: { const: 1 }, minContains: 0 }, fits: [[], [2]], not: [] },
  'limits as draft 4 has them': {
    schema: {
      type: 'object',
      properties: { a: { minimum: 1, exclusiveMinimum: true, maximum: 3, exclusiveMaximum: true } },
    },
    fits: [{ a: 2 }],
    not: [{ a: 1 }, { a: 3 }, { a: 0 }],
  },
  unevaluatedProperties: {
    schema: {
      type: 'object',
      properties: { a: NUMBER },
      allOf: [{ properties: { b: NUMBER } }],
      anyOf: [{ properties: { c: { const: 1 } }, required: ['c'] }, true],
      if: { required: ['d'], properties: { d: NUMBER } },
      unevaluatedProperties: false,
    },
    fits: [{}, { a: 1, b: 1 }, { a: 1, c: 1 }, { d: 1 }],
    not: [{ a: 1, e: 1 }, { c: 2 }, { d: 'x' }],
  },
  'unevaluatedProperties of a form': {
    schema: { type: 'object', patternProperties: { '^x': {} }, unevaluatedProperties: NUMBER },
    fits: [{ x: 'any', y: 1 }],
    not: [{ y: 'x' }],
  },
  unevaluatedItems: {
    schema: { type: 'array', prefixItems: [NUMBER], contains: { const: 'x' }, unevaluatedItems: false },
    fits: [
      [1, 'x'],
      [1, 'x', 'x'],
    ],
    not: [[1, 'x', 'y'], ['a', 'x'], [1]],
  },
  prefixItems: {
    schema: { type: 'array', prefixItems: [NUMBER, { type: 'string' }], items: false },
    fits: [[1, 'a'], [1]],
    not: [['a'], [1, 'a', 2]],
  },
  'items as a list': {
    schema: { type: 'array', items: [NUMBER], additionalItems: { type: 'boolean' } },
    fits: [[1, true], [1]],
    not: [['a'], [1, 2]],
  },
};

describe.each(Object.entries(ROWS))('%s', (_name, { schema, fits, not }) => {
  const places = [
    ['the whole', schema, (value: SchemaValue) => value],
    ['a part', { type: 'object', properties: { part: schema } }, (value: SchemaValue) => ({ part: value })],
  ] as const;
  test.each(places)('is no mistake of the author: %s', (_place, whole) => {
    expect(schemaFaults(whole)).toEqual([]);
  });
  test.each(places)('keeps what fits: %s', (_place, whole, put) => {
    verifies('E5', 'K4');
    for (const value of fits) {
      expect(checkValue(whole, put(value)), JSON.stringify(value)).toEqual([]);
      if (Array.isArray(put(value))) continue;
      for (const mode of ['strict', 'model'] as const)
        expect(validateArguments(whole, put(value), mode)).toMatchObject({
          ok: true,
          arguments: put(value),
          dropped: [],
        });
    }
  });
  test.each(places)('tells what does not: %s', (_place, whole, put) => {
    verifies('K4');
    for (const value of not) expect(checkValue(whole, put(value)), JSON.stringify(value)).not.toEqual([]);
  });
});

test('a length counts characters as people do', () => {
  expect(checkValue({ maxLength: 1 }, '😀')).toEqual([]);
  expect(checkValue({ minLength: 2 }, '😀')).toHaveLength(1);
});

test('what is converted for a named entry is converted for every other', () => {
  const schema = { type: 'object', patternProperties: { '^x': NUMBER }, additionalProperties: { type: 'boolean' } };
  expect(validateArguments(schema, { x: '3', other: 'true' }, 'model')).toMatchObject({
    ok: true,
    arguments: { x: 3, other: true },
  });
});

const NODE = { type: 'object', properties: { n: NUMBER, next: {} }, required: ['n'] };
test.each<[string, Schema]>([
  ['$dynamicRef', { $dynamicAnchor: 'node', ...NODE, properties: { n: NUMBER, next: { $dynamicRef: '#node' } } }],
  ['$recursiveRef', { $recursiveAnchor: true, ...NODE, properties: { n: NUMBER, next: { $recursiveRef: '#' } } }],
  ['$anchor', { $anchor: 'node', ...NODE, properties: { n: NUMBER, next: { $ref: '#node' } } }],
  ['$id', { $id: 'Node', ...NODE, properties: { n: NUMBER, next: { $ref: 'Node' } } }],
  [
    '$id of a part',
    { type: 'object', properties: { n: NUMBER, next: { $ref: 'Node' } }, $defs: { a: { $id: 'Node', ...NODE } } },
  ],
  [
    'an encoded pointer',
    { type: 'object', properties: { n: NUMBER, next: { $ref: '#/$defs/a%20b' } }, $defs: { 'a b': NODE } },
  ],
])('a reference by %s is followed', (_name, schema) => {
  verifies('K4');
  expect(schemaFaults(schema)).toEqual([]);
  expect(checkValue(schema, { n: 1, next: { n: 2 } })).toEqual([]);
  expect(checkValue(schema, { n: 1, next: { n: 'x' } })).not.toEqual([]);
  expect(validateArguments(schema, { n: 1, next: { n: '2' } }, 'model')).toMatchObject({
    ok: true,
    arguments: { n: 1, next: { n: 2 } },
  });
});
