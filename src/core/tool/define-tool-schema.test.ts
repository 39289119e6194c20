/** A schema that would check nothing, or that no model can be told, is refused where the tool is made. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ParametersInput } from '../../schema/index.ts';
import type { ToolContext } from '../tool.ts';
import { validateArguments } from '../validate-arguments.ts';
import { defineTool } from './define-tool.ts';

const object = (properties: Record<string, unknown>, more = {}) => ({ type: 'object', properties, ...more });

test.each<[string, unknown, RegExp]>([
  [
    'a pattern',
    object({ a: { type: 'string', pattern: '(' } }),
    /\/properties\/a\/pattern is no regular expression: \(/,
  ],
  [
    'a nested pattern',
    object({ a: { type: 'array', items: { anyOf: [{ pattern: '[' }] } } }),
    /\/items\/anyOf\/0\/pattern/,
  ],
  [
    'a reference',
    object({ a: { $ref: '#/$defs/missing' } }),
    /\/properties\/a\/\$ref leads nowhere: #\/\$defs\/missing/,
  ],
  ['a reference elsewhere', object({ a: { $ref: 'https://a.example/x' } }), /leads nowhere: https/],
  ['a nested type', object({ a: { type: 'array', items: { type: 'text' } } }), /items\/type must be one of/],
  [
    'a date',
    z.object({ at: z.coerce.date() }),
    /The parameters of look: .*[Dd]ate.*A model writes JSON: .*z\.iso\.datetime/,
  ],
  [
    'a misspelt word',
    object({}, { propertys: {} }),
    /\/propertys is no word of JSON Schema\. Did you mean properties\?/,
  ],
  ['a misspelt word within', object({ a: { tpye: 'string' } }), /\/properties\/a\/tpye .*Did you mean type\?/],
  ['a word with a case of its own', object({ a: { any_of: [{}] } }), /Did you mean anyOf\?/],
  ['two letters wrong', object({ a: { minLenght: 3 } }), /Did you mean minLength\?/],
  ['a limit that is text', object({ a: { minimum: '5' } }), /\/properties\/a\/minimum must be number, not string/],
  ['required beside the entry', object({ a: { type: 'string', required: true } }), /a\/required must be array/],
  ['a word of draft 3', object({ a: { divisibleBy: 2 } }), /divisibleBy is a word of an older .*use multipleOf/],
  ['a limit without its number', object({ a: { exclusiveMinimum: true } }), /is true without a minimum/],
  ['an anchor', object({ a: { $ref: '#missing' } }), /\$ref leads nowhere: #missing/],
  ['a dynamic reference', object({ a: { $dynamicRef: '#missing' } }), /\$dynamicRef leads nowhere: #missing/],
  ['an id within', object({ a: { $id: 'a', $ref: '#/properties/b' }, b: {} }), /stands under an \$id of its own/],
  [
    'a list of choices that are no objects',
    { anyOf: [{ type: 'string' }] },
    /parameters of look: .*not of objects.*by name/,
  ],
  ['nothing about objects', {}, /not of objects/],
  ['a class', class Place {}, /is the class Place, and no schema\. Pass JSON Schema, or a schema of Zod 4/],
  ['a function', () => ({}), /is a function, and no schema/],
  ['an instance', new (class Place {})(), /is an instance of Place, and no schema/],
  ['a schema of another maker', { _def: {}, parse: () => 1 }, /is an object with functions, and no schema/],
  ['a file', z.object({ at: z.array(z.file()) }), /A file cannot be represented.*A model writes JSON/],
  ['a map', z.object({ at: z.map(z.string(), z.number()) }), /A model writes JSON/],
  ['a big integer', z.object({ at: z.bigint() }), /A model writes JSON/],
])('%s', (_name, parameters, words) => {
  const make = (): unknown =>
    defineTool({ name: 'look', description: 'Look', parameters: parameters as ParametersInput, run: () => '' });
  expect(make).toThrow(
    expect.objectContaining({ name: 'InvalidToolSignature', message: expect.stringMatching(words) }),
  );
});

test('what only looks like a keyword is data', () => {
  const properties = {
    pattern: { type: 'string', default: '(' },
    $ref: { type: 'string', enum: ['#/x'] },
    old: { type: 'string', pattern: '\\-' },
  };
  expect(() =>
    defineTool({ name: 'a', description: 'A', parameters: object(properties) as ParametersInput, run: () => '' }),
  ).not.toThrow();
});

test('words that nothing is known of are notes', () => {
  const a = {
    type: 'string',
    example: 'x',
    examples: ['x'],
    note: 'x',
    title: 'A',
    nullable: true,
    'x-order': 1,
    unit: 'm',
  };
  expect(() =>
    defineTool({ name: 'a', description: 'A', parameters: object({ a }) as ParametersInput, run: () => '' }),
  ).not.toThrow();
});

test.each([
  [
    'a union of Zod',
    z.discriminatedUnion('k', [z.object({ k: z.literal('a'), n: z.number() }), z.object({ k: z.literal('b') })]),
  ],
  ['choices by reference', { anyOf: [{ $ref: '#/$defs/a' }], $defs: { a: object({ k: {}, n: { type: 'number' } }) } }],
])('choices of objects are an object: %s', async (_name, parameters) => {
  const tool = defineTool({ name: 'a', description: 'A', parameters: parameters as ParametersInput, run: () => '' });
  expect(tool.parameters).toMatchObject({ type: 'object' });
  expect(validateArguments(tool.parameters, { k: 'a', n: '1' }, 'model')).toMatchObject({
    ok: true,
    arguments: { k: 'a', n: 1 },
  });
});

test.each([
  ['date', '2026-01-31', '2026-02-30'],
  ['time', '13:45', '25:00'],
  ['date-time', '2026-01-31T13:45:00+01:00', 'tomorrow'],
  ['duration', 'P1DT2H', '2 hours'],
  ['email', 'a@b.example', 'a at b'],
  ['hostname', 'a-b.example', 'a_b'],
  ['ipv4', '192.0.2.1', '192.0.2.256'],
  ['ipv6', '2001:db8::1', '2001:db8:::1'],
  ['uri', 'https://a.example', 'a.example'],
  ['uuid', '123e4567-e89b-12d3-a456-426614174000', '123'],
  ['regex', '^a+$', '('],
  ['json-pointer', '/a/0', 'a'],
])('a text of the format %s is checked, one of another is a note', async (format, fits, not) => {
  const tool = (named: string) =>
    defineTool({
      name: 'a',
      description: 'A',
      parameters: object({ a: { type: 'string', format: named } }) as ParametersInput,
      run: () => 'ran',
    });
  expect(await tool(format).run({ a: fits }, {} as ToolContext)).toMatchObject({ success: true });
  expect(await tool(format).run({ a: not }, {} as ToolContext)).toMatchObject({
    success: false,
    error_type: 'validation_failed',
    error_message: expect.stringContaining(`a must be a ${format}, such as`),
  });
  expect(await tool('colour').run({ a: not }, {} as ToolContext)).toMatchObject({ success: true });
});

const text = { type: 'string' };
const WITH_DEFAULT = object({ a: { type: 'number', default: 1 } }, { required: ['a'] });
const CONTRADICTIONS: readonly [unknown, string][] = [
  [object({ n: { type: 'integer', default: 'x' } }), '/properties/n/default does not fit its own schema: "x"'],
  [z.object({ n: z.number().min(5).default(1) }), '/properties/n/default does not fit its own schema: 1'],
  [object({ n: { enum: ['a'], default: 'b' } }), '/properties/n/default'],
  [object({ n: { const: 1, default: 2 } }), '/properties/n/default'],
  [object({ n: { type: 'string', pattern: '^a', default: 'b' } }), '/properties/n/default'],
  [object({ n: { $ref: '#/$defs/n', default: 'b' } }, { $defs: { n: { type: 'number' } } }), '/properties/n/default'],
  [object({ n: { type: 'array', items: text, default: [1] } }), '/properties/n/default'],
  [object({ n: { type: 'object', default: [] } }), '/properties/n/default'],
  [object({ n: { type: 'array', items: object({ a: text }), default: [{}, 5] } }), '/properties/n/default'],
  [object({ n: { type: 'array', items: object({ a: text }), minItems: 2, default: [{}] } }), '/properties/n/default'],
  [object({ not: object({ a: text }, { required: ['b'] }) }), '/properties/not/required names "b"'],
  [object({ if: object({ a: text }, { required: ['b'] }) }), '/properties/if/required names "b"'],
  [object({ allOf: { type: 'array', items: object({}, { required: ['b'] }) } }), '/properties/allOf/items/required'],
  [object({ n: { type: 'string', default: {} } }), '/properties/n/default'],
  [object({ a: object({ n: { type: 'boolean', default: 0 } }) }), '/properties/a/properties/n/default'],
  [object({ a: text }, { required: ['zz'] }), '/required names "zz", which is no property'],
  [object({ a: object({ b: text }, { required: ['b', 'c'] }) }), '/properties/a/required names "c"'],
  [object({ a: text }, { required: ['toString'], additionalProperties: false }), '/required names "toString"'],
  [object({ a: { enum: [] } }), '/properties/a/enum is empty'],
  [object({ a: { anyOf: [] } }), '/properties/a/anyOf is empty'],
  [object({ a: { oneOf: [] } }), '/properties/a/oneOf is empty'],
  [object({ a: { type: 'number', enum: ['1'] } }), '/properties/a/enum has no value of the type number'],
  [object({ a: { type: 'string', const: 1 } }), '/properties/a/const has no value of the type string'],
  [object({ a: { minimum: 3, maximum: 2 } }), '/properties/a/minimum is 3 and maximum is 2'],
  [object({ a: { exclusiveMinimum: 2, maximum: 2 } }), '/properties/a/exclusiveMinimum is 2'],
  [object({ a: { minimum: 2, exclusiveMaximum: 2 } }), '/properties/a/minimum is 2'],
  [object({ a: { exclusiveMinimum: 2, exclusiveMaximum: 2 } }), '/properties/a/exclusiveMinimum is 2'],
  [object({ a: { minLength: 3, maxLength: 2 } }), '/properties/a/minLength is 3'],
  [object({ a: { minItems: 3, maxItems: 2 } }), '/properties/a/minItems is 3'],
  [object({ a: { minProperties: 3, maxProperties: 2 } }), '/properties/a/minProperties is 3'],
  [z.object({ a: z.string().min(3).max(2) }), '/properties/a/minLength is 3'],
];

test.each(CONTRADICTIONS)('words that contradict each other are refused with their place: %j', (parameters, place) => {
  const make = () =>
    defineTool({ name: 'look', description: 'Looks', parameters: parameters as ParametersInput, run: () => 1 });
  expect(make).toThrow(`The parameters of look: ${place}`);
});

test.each<[unknown]>([
  [object({ n: { type: ['string', 'null'], default: null } })],
  [object({ n: object({ a: { type: 'number', default: 1 } }, { required: ['a'], default: {} }) })],
  [object({ n: { minimum: 2, maximum: 2, default: 2 } })],
  [object({ n: { type: 'array', items: WITH_DEFAULT, default: [{}, { a: 2 }] } })],
  [object({ n: { type: 'array', items: { type: 'array', items: WITH_DEFAULT }, default: [[{}]] } })],
  [object({ not: { not: { required: ['b'], properties: { a: text } } } })],
  [object({ a: text, b: text }, { anyOf: [{ required: ['a'] }, { properties: { a: text }, required: ['b'] }] })],
  [object({ a: text }, { required: ['x-a'], patternProperties: { '^x-': text } })],
  [object({ a: text }, { required: ['b'], additionalProperties: text })],
  [object({ a: text }, { required: ['b'], allOf: [object({ b: text })] })],
  [{ type: 'object', required: ['b'] }],
  [
    z.object({
      a: z.number().default(1),
      b: z.enum(['x', 'y']).default('x'),
      c: z.object({ d: z.string().default('') }).prefault({}),
    }),
  ],
  [z.object({ a: z.record(z.enum(['x', 'y']), z.number()), b: z.string().catch('x'), c: z.string().nullish() })],
])('words that only look so are taken: %j', (parameters) => {
  expect(() =>
    defineTool({ name: 'look', description: 'Looks', parameters: parameters as ParametersInput, run: () => 1 }),
  ).not.toThrow();
});
