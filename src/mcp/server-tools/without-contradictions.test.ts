/** Every call of a tool whose schema contradicts itself would be refused here, and its server never be asked. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { JsonObject } from '../../core/json.ts';
import { schemaContradictions } from '../../core/schema-contradictions.ts';
import { validateArguments } from '../../core/validate-arguments.ts';
import { toolParameters } from './tool-schema.ts';
import { withoutContradictions } from './without-contradictions.ts';

const of = (a: JsonObject): JsonObject => ({ type: 'object', properties: { a }, required: ['a'] });

it.each<[string, JsonObject, JsonObject, string]>([
  ['no choices', of({ type: 'string', enum: [] }), { a: 'x' }, '/properties/a/enum'],
  ['no alternatives', of({ anyOf: [] }), { a: 'x' }, '/properties/a/anyOf'],
  ['choices of another type', of({ type: 'string', enum: [1, 2] }), { a: 2 }, '/properties/a/enum'],
  ['a constant of another type', of({ type: 'string', const: 1 }), { a: 1 }, '/properties/a/const'],
  ['a constant beside choices without it', of({ enum: ['a', 'b'], const: 'c' }), { a: 'c' }, '/properties/a/const'],
  ['choices beside a constant that is none', of({ enum: ['a', 'b'], const: 'c' }), { a: 'a' }, '/properties/a/const'],
  ['a constant beyond a length', of({ const: 'abc', maxLength: 2 }), { a: 'abc' }, '/properties/a/const'],
  ['a constant below a limit', of({ type: 'integer', const: 1, minimum: 2 }), { a: 1 }, '/properties/a/const'],
  ['a constant of another pattern', of({ const: 'abc', pattern: '^x' }), { a: 'abc' }, '/properties/a/const'],
  ['choices beyond a length', of({ enum: ['abc', 'abd'], maxLength: 2 }), { a: 'abd' }, '/properties/a/enum'],
  ['choices that nothing may be', of({ enum: ['abc'], not: { type: 'string' } }), { a: 'abc' }, '/properties/a/enum'],
  ['no choices and a constant', of({ enum: [], const: 'c' }), { a: 'c' }, '/properties/a/enum'],
  ['crossed limits', of({ type: 'integer', minimum: 5, maximum: 1 }), { a: 3 }, '/properties/a/minimum'],
  ['crossed lengths', of({ type: 'string', minLength: 5, maxLength: 1 }), { a: 'x' }, '/properties/a/minLength'],
  ['crossed counts', of({ type: 'array', minItems: 5, maxItems: 1 }), { a: [1] }, '/properties/a/minItems'],
  [
    'a default of another type',
    { type: 'object', properties: { a: { type: 'string', default: 5 } } },
    {},
    '/properties/a/default',
  ],
  [
    'a name that is no property',
    { type: 'object', properties: {}, required: ['a'], additionalProperties: false },
    { a: 'x' },
    '/required',
  ],
  [
    'several of them, further in',
    of({ type: 'array', items: { type: 'object', properties: { b: { minimum: 2, maximum: 1, enum: [] } } } }),
    { a: [{ b: 9 }] },
    '/properties/a/items/properties/b/enum',
  ],
  [
    'a name with a slash in it',
    { type: 'object', properties: { 'a/b~c': { type: 'string', enum: [] } } },
    { 'a/b~c': 'x' },
    '/properties/a/b~c/enum',
  ],
])('%s: the call is made, and what was left out is told', (_name, inputSchema, args, place) => {
  verifies('B10');
  const before = structuredClone(inputSchema);
  const { schema, problems } = withoutContradictions(toolParameters(inputSchema));
  expect(validateArguments(schema, args, 'model')).toMatchObject({ ok: true, arguments: args });
  expect(problems.join('\n')).toContain(place);
  expect(schemaContradictions(schema as never)).toEqual([]);
  expect(inputSchema).toEqual(before);
});

it.each<JsonObject>([
  { type: 'integer', minimum: 1, maximum: 5, enum: [1, 2] },
  { type: 'integer', maximum: 1, enum: [1, 2] },
  { type: 'string', enum: ['a', 'b'], const: 'b', default: 'b' },
  { type: 'string', nullable: true, enum: ['a', null] },
  { type: ['string', 'null'], const: null, maxLength: 2 },
  { enum: [{ a: [1] }], const: { a: [1] } },
  { const: null, enum: [null] },
])('a schema without contradictions stays itself: %j', (part) => {
  verifies('B10');
  expect(withoutContradictions(of(part))).toEqual({ schema: of(part), problems: [] });
});

it('whatever a server sends, something can be checked by what is left', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()), (given, args) => {
      validateArguments(withoutContradictions(toolParameters(given)).schema, args, 'model');
    }),
  );
});
