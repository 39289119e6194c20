import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { parseGbnf, sampleGbnf } from '../../../tests/support/gbnf-sampler.ts';
import { rounds } from '../../../tests/support/long.ts';
import type { JsonSchema, JsonValue } from '../../core/json.ts';
import { integerRange } from './grammar/integers.ts';
import { patternGrammar } from './grammar/pattern.ts';
import { schemaGrammar } from './grammar.ts';

const ajv = new Ajv2020({ strict: false });
const draws = (seed: number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};
const samples = (schema: JsonSchema, seed: number, options = {}, count = 8): JsonValue[] => {
  const rules = parseGbnf(schemaGrammar(schema, options));
  const draw = draws(seed);
  return Array.from({ length: count }, () => JSON.parse(sampleGbnf(rules, draw)) as JsonValue);
};

const name = fc.constantFrom('path', 'count', 'a b', 'quote"d', 'ünï', 'x.y');
const bounds = fc
  .tuple(fc.integer({ min: -2000, max: 2000 }), fc.integer({ min: 0, max: 3000 }))
  .map(([minimum, span]) => ({ minimum, maximum: minimum + span }));
const { schema: anySchema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom<JsonSchema>(
      { type: 'string' },
      { type: 'boolean' },
      { type: 'null' },
      { type: 'integer' },
      { type: 'number' },
    ),
    fc.constantFrom<JsonSchema>(
      { type: ['string', 'null'] },
      { const: 'x "y"' },
      { type: 'string', minLength: 2, maxLength: 5 },
    ),
    fc
      .uniqueArray(fc.oneof(fc.string(), fc.integer()), { minLength: 1, maxLength: 4 })
      .map((list): JsonSchema => ({ enum: list })),
    bounds.map((limits): JsonSchema => ({ type: 'integer', ...limits })),
    bounds.map((limits): JsonSchema => ({ type: 'number', ...limits })),
    fc
      .tuple(tie('schema'), fc.nat(2), fc.nat(3))
      .map(([items, minItems, more]): JsonSchema => ({ type: 'array', items, minItems, maxItems: minItems + more })),
    fc.tuple(tie('schema'), tie('schema')).map((anyOf): JsonSchema => ({ anyOf })),
    fc
      .tuple(fc.uniqueArray(name, { maxLength: 4 }), fc.array(tie('schema'), { minLength: 4, maxLength: 4 }), fc.nat(4))
      .map(
        ([names, schemas, required]): JsonSchema => ({
          type: 'object',
          properties: Object.fromEntries(names.map((key, index): [string, JsonValue] => [key, schemas[index] ?? {}])),
          required: names.slice(0, required),
          additionalProperties: false,
        }),
      ),
  ),
}));

describe('grammars made from JSON Schema', () => {
  it('let nothing through that the schema refuses', () => {
    verifies('B1');
    fc.assert(
      fc.property(anySchema, fc.integer(), (schema, seed) => {
        const validate = ajv.compile(schema);
        for (const value of samples(schema, seed))
          expect(validate(value), JSON.stringify({ schema, value })).toBe(true);
      }),
      { numRuns: rounds(50, 1_500) },
    );
  });

  it('count a character of two escapes once, and write no half of one', () => {
    verifies('B1');
    const validate = ajv.compile({ type: 'string', minLength: 2, maxLength: 2 });
    for (const value of samples({ type: 'string', minLength: 2, maxLength: 2 }, 1, {}, rounds(2_000, 20_000))) {
      expect(validate(value), JSON.stringify(value)).toBe(true);
      expect(String(value).isWellFormed(), JSON.stringify(value)).toBe(true);
    }
  });

  it('let through every integer of a range and no other', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -130, max: 1200 }),
        fc.integer({ min: 0, max: 400 }),
        fc.integer(),
        (low, span, seed) => {
          const rules = parseGbnf(`root ::= ${integerRange(low, low + span)}`);
          const draw = draws(seed);
          for (let count = 0; count < 20; count += 1) {
            const text = sampleGbnf(rules, draw);
            expect(String(Number(text))).toBe(text);
            expect(Number(text)).toBeGreaterThanOrEqual(low);
            expect(Number(text)).toBeLessThanOrEqual(low + span);
          }
        },
      ),
    );
  });

  it('reach both ends of a range', () => {
    const rules = parseGbnf(`root ::= ${integerRange(7, 12)}`);
    const draw = draws(1);
    const seen = new Set(Array.from({ length: 300 }, () => sampleGbnf(rules, draw)));
    expect([...seen].sort((a, b) => Number(a) - Number(b))).toEqual(['7', '8', '9', '10', '11', '12']);
  });

  it('write required members always and optional ones where they are asked for', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'integer' }, b: { type: 'integer' }, c: { type: 'integer' } },
      required: ['b'],
    };
    const keys = (include?: Set<string>): Set<string> =>
      new Set(samples(schema, 3, include ? { include } : {}).map((value) => Object.keys(value as object).join('')));
    expect(keys(new Set())).toEqual(new Set(['b']));
    expect(keys(new Set(['c']))).toEqual(new Set(['bc']));
    for (const found of keys()) expect(['b', 'ab', 'bc', 'abc']).toContain(found);
  });

  it('follow references, also those that lead back to themselves', () => {
    const schema: JsonSchema = {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          type: 'object',
          properties: { value: { type: 'integer' }, next: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/node' }] } },
          required: ['value', 'next'],
        },
      },
    };
    const validate = ajv.compile(schema);
    for (const value of samples(schema, 11)) expect(validate(value)).toBe(true);
  });

  it.each(['^[a-z]+$', '^\\d{4}-\\d{2}$', '^(yes|no)\\.$', '^[A-Z_][\\w.-]{0,5}(?:x|yz)?$', '^a\\+b$'])(
    'hold the pattern %s',
    (pattern) => {
      const validate = ajv.compile({ type: 'string', pattern });
      for (const value of samples({ type: 'string', pattern }, 9)) expect(validate(value), String(value)).toBe(true);
    },
  );

  it('leave patterns alone that they cannot hold', () => {
    for (const pattern of ['^(?=a)b$', 'abc', '^.*$', '^(a)\\1$', '^[^a]$', '^"$'])
      expect(patternGrammar(pattern)).toBeUndefined();
  });

  it('have no room for blanks a small model could spin in', () => {
    const rules = parseGbnf(
      schemaGrammar({
        type: 'object',
        properties: { a: { type: 'array', items: { type: 'integer' } } },
        required: ['a'],
      }),
    );
    const draw = draws(5);
    for (let count = 0; count < 50; count += 1) expect(sampleGbnf(rules, draw)).not.toMatch(/\s\s|\s$|\n/);
  });
});
