/** Parts of a schema that are joined: what one of them names is an argument, and is prepared by it. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { rounds } from '../../../tests/support/long.ts';
import { checkValue, isSchema, type Schema, type SchemaValue } from '../../schema/index.ts';
import { validateAnswer, validateArguments } from '../validate-arguments.ts';

const NUMBER = { type: 'number' };
const A = { properties: { a: NUMBER } };
const $defs = { a: A };
const kind = (name: string, more: Schema): Schema => ({
  type: 'object',
  properties: { kind: { const: name }, ...more },
  required: ['kind'],
});

/** What describes `a` as a number, and what is sent beside it. */
const ROWS: readonly [word: string, schema: Schema, beside: Schema][] = [
  ['allOf', { allOf: [A] }, {}],
  ['anyOf', { anyOf: [{ ...A, required: ['a'] }, { required: ['b'] }] }, {}],
  ['oneOf', { oneOf: [kind('x', { b: NUMBER }), kind('y', { a: NUMBER })] }, { kind: 'y' }],
  // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
  ['then', { if: { required: ['b'] }, then: A }, { b: 1 }],
  ['else', { if: { required: ['b'] }, else: A }, { c: 1 }],
  ['dependentSchemas', { dependentSchemas: { b: A } }, { b: 1 }],
  ['dependencies', { dependencies: { b: A } }, { b: 1 }],
  ['$ref', { $ref: '#/$defs/a', $defs }, {}],
  ['$ref beside properties', { $ref: '#/$defs/a', properties: { b: NUMBER }, $defs }, { b: 2 }],
  ['allOf in anyOf in $ref', { $ref: '#/$defs/b', $defs: { b: { anyOf: [{ allOf: [A] }] } } }, {}],
];

describe.each(ROWS)('%s', (_word, schema, beside) => {
  const root: Schema = { type: 'object', additionalProperties: true, ...schema };
  const closed: Schema = { type: 'object', properties: { b: NUMBER, c: NUMBER, kind: {} }, ...schema };
  const inside: Schema = {
    type: 'object',
    properties: { part: schema },
    $defs: isSchema(schema.$defs) ? schema.$defs : {},
  };

  test('keeps what a part names', () => {
    verifies('E5', 'K4');
    for (const mode of ['strict', 'model'] as const) {
      const sent = { a: 1, ...beside };
      const kept = { ok: true, arguments: sent, dropped: [], repairs: [] };
      expect(validateArguments({ type: 'object', ...schema }, sent, mode)).toMatchObject({ arguments: { a: 1 } });
      expect(validateArguments(root, sent, mode)).toEqual(kept);
      expect(validateArguments(closed, sent, mode)).toEqual(kept);
      expect(validateArguments(closed, { ...sent, other: 1 }, mode)).toEqual({ ...kept, dropped: ['other'] });
    }
  });
  test('converts it as the part says', () => {
    verifies('K4');
    for (const each of [root, closed])
      expect(validateArguments(each, { a: '1.5', ...beside }, 'model')).toMatchObject({
        ok: true,
        arguments: { a: 1.5, ...beside },
        repairs: [{ kind: 'type_coercion' }],
      });
    expect(validateArguments(inside, { part: { a: '1.5', ...beside } }, 'model')).toMatchObject({
      ok: true,
      arguments: { part: { a: 1.5, ...beside } },
    });
  });
  test('tells what does not fit it', () => {
    verifies('K4');
    expect(validateArguments(root, { a: 'x', ...beside }, 'model')).toMatchObject({ ok: false });
  });
});

test.each<[name: string, part: Schema, sent: SchemaValue, kept: SchemaValue]>([
  ['a number or null', { anyOf: [NUMBER, { type: 'null' }] }, '5', 5],
  ['a text or a number', { anyOf: [{ type: 'string' }, NUMBER] }, '5', '5'],
  ['a list or an object', { oneOf: [{ type: 'array' }, { type: 'object' }] }, '{"a":1}', { a: 1 }],
  ['a default of the branch', { anyOf: [{ properties: { a: { default: 1 } } }] }, {}, { a: 1 }],
])('%s is taken as it fits', (_name, part, sent, kept) => {
  const schema = { type: 'object', properties: { part } };
  expect(validateArguments(schema, { part: sent }, 'model')).toMatchObject({
    ok: true,
    arguments: { part: kept },
  });
});

describe('entries that nothing names', () => {
  const PATTERNS = { type: 'object', patternProperties: { '^x': NUMBER } };
  const LISTED = { type: 'object', properties: { a: NUMBER } };
  test.each<[name: string, schema: Schema, sent: Schema, dropped: string[]]>([
    ['where no names are listed', PATTERNS, { x1: 3, y: 'keep' }, []],
    ['where any may stand', { ...LISTED, additionalProperties: true }, { a: 1, y: 2 }, []],
    ['where any may stand by a part', { ...LISTED, allOf: [{ additionalProperties: {} }] }, { a: 1, y: 2 }, []],
    ['where names are listed', LISTED, { a: 1, y: 2 }, ['y']],
    ['where others are forbidden', { ...PATTERNS, additionalProperties: false }, { x1: 1, y: 2 }, ['y']],
    ['where others are forbidden late', { ...PATTERNS, unevaluatedProperties: false }, { x1: 1, y: 2 }, ['y']],
  ])('of arguments: %s', (_name, schema, sent, dropped) => {
    verifies('E5');
    const kept = Object.fromEntries(Object.entries(sent).filter(([key]) => !dropped.includes(key)));
    expect(validateArguments(schema, sent, 'model')).toMatchObject({ ok: true, arguments: kept, dropped });
  });
  test('of an answer stay where the schema allows them', () => {
    expect(validateAnswer(LISTED, { a: '1', y: 2 })).toEqual({ ok: true, value: { a: 1, y: 2 } });
    expect(validateAnswer({ ...LISTED, additionalProperties: false }, { a: 1, y: 2 })).toEqual({
      ok: true,
      value: { a: 1 },
    });
  });
});

test('a reference that leads back to itself ends', () => {
  expect(validateArguments({ type: 'object', allOf: [A, { $ref: '#' }] }, { a: 1 }, 'model')).toMatchObject({
    ok: false,
  });
});

test('branches within one another end, whatever the value', () => {
  const $defs = {
    node: {
      anyOf: ['a', 'b', 'c'].map((key) => ({ properties: { next: { $ref: '#/$defs/node' } }, required: [key] })),
    },
  };
  const value = Array.from({ length: 6 }).reduce<SchemaValue>((next) => ({ next }), {});
  expect(validateArguments({ type: 'object', $ref: '#/$defs/node', $defs }, value, 'model')).toMatchObject({
    ok: false,
  });
});

describe('references whose ways double with each step are followed once', () => {
  const twice = (name: string): Schema[] => [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }];
  const chain = (word: string, last: Schema): Schema => ({
    ...Object.fromEntries(Array.from({ length: 30 }, (_, step) => [`s${step}`, { [word]: twice(`s${step + 1}`) }])),
    s30: last,
  });
  const inner = (word: string): Schema => ({
    node: { [word]: [1, 2, 3].map(() => ({ properties: { next: { $ref: '#/$defs/node' } } })), maxProperties: 1 },
  });
  const nested = (last: SchemaValue): SchemaValue =>
    Array.from({ length: 18 }).reduce<SchemaValue>((next) => ({ next }), last);
  const cyclic = (word: string): Schema => ({
    s0: { [word]: [{ type: 'string' }, { $ref: '#/$defs/s0', [word]: twice('s0') }], not: true },
  });
  test.each<[name: string, $defs: Schema, first: string, value: SchemaValue, fits: boolean]>([
    ...(['allOf', 'anyOf'] as const).flatMap((word): [string, Schema, string, SchemaValue, boolean][] => [
      [`${word}, of what fits`, chain(word, NUMBER), 's0', 1, true],
      [`${word}, of what does not fit`, chain(word, NUMBER), 's0', 'x', false],
      [`${word}, of an object that fits`, chain(word, A), 's0', { a: 1 }, true],
      [`${word}, of an object that does not fit`, chain(word, A), 's0', { a: [] }, false],
      [`${word}, deeper in the value`, inner(word), 'node', nested({}), true],
      [`${word}, deeper in a value that does not fit`, inner(word), 'node', nested({ a: 1, b: 2 }), false],
      [`${word}, back to itself`, cyclic(word), 's0', { a: 1 }, false],
    ]),
    ['oneOf, of what fits twice', chain('oneOf', NUMBER), 's0', 1, false],
    ['oneOf, deeper in the value', inner('oneOf'), 'node', nested({}), false],
    ['oneOf, back to itself', cyclic('oneOf'), 's0', { a: 1 }, false],
  ])('%s', (_name, $defs, first, value, fits) => {
    verifies('E5', 'K4');
    const schema = { $ref: `#/$defs/${first}`, $defs };
    const around = { type: 'object', properties: { part: { $ref: `#/$defs/${first}` } }, $defs };
    expect(checkValue(schema, value).length === 0).toBe(fits);
    expect(validateAnswer(schema, value).ok).toBe(fits);
    for (const mode of ['strict', 'model'] as const)
      expect(validateArguments(around, { part: value }, mode).ok).toBe(fits);
  });
  test('what is wrong is told once, where it stands', () => {
    const $defs = chain('allOf', A);
    expect(
      checkValue(
        { properties: { x: { $ref: '#/$defs/s0' }, y: { $ref: '#/$defs/s0' } }, $defs },
        { x: { a: [] }, y: { a: 'b' } },
      ),
    ).toEqual([
      { path: '/x/a', message: 'must be number, not array' },
      { path: '/y/a', message: 'must be number, not string' },
    ]);
  });
});

/**
 * Schemas of every word that joins parts, over a few keys, so that values of the same keys often fit. Without `contains`
 * (beside `prefixItems` the other checker takes an empty list) and `unevaluatedProperties` (it goes by an `if` that does not
 * fit): these have rows of their own.
 */
const KEYS = ['a', 'b', 'xa'] as const;
const key = fc.constantFrom(...KEYS);
const schemas = fc.letrec<{ schema: Schema }>((tie) => {
  const schema = tie('schema');
  const part = fc.oneof(schema, fc.boolean());
  const list = fc.array(schema, { minLength: 1, maxLength: 2 });
  const word = (name: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<Schema> =>
    value.map((each) => ({ [name]: each as SchemaValue }));
  const leaf = fc.constantFrom<Schema>(
    { type: 'number' },
    { type: 'string' },
    { type: ['object', 'null'] },
    { type: 'array' },
    { required: ['a'] },
    { const: 1 },
    { minProperties: 1 },
    { minLength: 1 },
    {},
  );
  const joined = fc.oneof(
    ...['properties', 'dependentSchemas'].map((name) => word(name, fc.dictionary(key, schema, { maxKeys: 2 }))),
    ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((name) => word(name, list)),
    ...['not', 'items', 'additionalProperties'].map((name) => word(name, part)),
    word(
      'patternProperties',
      schema.map((each) => ({ '^x': each })),
    ),
    word('propertyNames', fc.constant({ minLength: 2 })),
    word('dependentRequired', fc.dictionary(key, fc.array(key, { maxLength: 1 }), { maxKeys: 1 })),
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
    fc.record({ if: schema, then: schema, else: schema }),
    fc.constant({ $ref: '#/$defs/a' }),
  );
  return {
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      fc.array(joined, { minLength: 1, maxLength: 3 }).map((words) => Object.assign({}, ...words) as Schema),
    ),
  };
});
const values = fc.letrec<{ value: SchemaValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<SchemaValue>(1, '', 'x', null, true),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
    fc.array(tie('value'), { maxLength: 2 }),
  ),
}));

test('what a second checker finds fitting goes through unchanged, and nothing else fits', () => {
  verifies('E5', 'K4');
  const ajv = new Ajv2020({ strict: false, logger: false });
  let fitting = 0;
  fc.assert(
    fc.property(
      schemas.schema,
      schemas.schema,
      fc.array(values.value, { minLength: 3, maxLength: 3 }),
      (schema, a, sent) => {
        const root = { ...schema, $defs: { a } };
        const around = { type: 'object', properties: { part: schema }, $defs: { a } };
        let fits: (value: unknown) => boolean;
        try {
          const compiled = ajv.compile(root);
          fits = (value) => compiled(value) === true;
        } catch {
          return;
        }
        for (const value of sent) {
          let doesFit: boolean;
          try {
            doesFit = fits(value);
          } catch {
            // A reference that leads back to itself without an entry between is followed for ever there.
            continue;
          }
          expect(checkValue(root, value).length === 0, JSON.stringify(value)).toBe(doesFit);
          if (!doesFit) continue;
          fitting++;
          expect(validateAnswer(root, value)).toEqual({ ok: true, value });
          for (const mode of ['strict', 'model'] as const)
            expect(validateArguments(around, { part: value }, mode)).toMatchObject({
              ok: true,
              arguments: { part: value },
            });
        }
      },
    ),
    { numRuns: rounds(150, 6_000) },
  );
  expect(fitting).toBeGreaterThan(100);
});
