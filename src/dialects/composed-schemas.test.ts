/** What a call says while it streams is what its tool runs with, whichever part of the schema gives the type. */
import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import type { JsonObject, JsonSchema } from '../core/json.ts';
import { validateArguments } from '../core/validate-arguments.ts';
import { createParser } from './index.ts';

const NUMBER = { type: 'number' };
const A = { properties: { a: NUMBER } };
const $defs = { a: A, number: NUMBER };
const LIST = [true, 'x'];

/** Each says that `a` is a number, or that of `part`. */
const SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  properties: A,
  allOf: { allOf: [A] },
  anyOf: { anyOf: [A, { required: ['b'] }] },
  // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
  'if and then': { if: { required: ['a'] }, then: A },
  dependentSchemas: { dependentSchemas: { a: A } },
  $ref: { $ref: '#/$defs/a', $defs },
  'a reference in properties': { properties: { a: { $ref: '#/$defs/number' } }, $defs },
  'an older reference': { properties: { a: { allOf: [{ $ref: '#/definitions/n' }] } }, definitions: { n: NUMBER } },
  patternProperties: { patternProperties: { '^a$': NUMBER } },
  additionalProperties: { additionalProperties: NUMBER },
};
const WORDS = { type: 'object', additionalProperties: true };
const within = (schema: JsonSchema): JsonSchema => {
  const { $defs: named, definitions, ...part } = schema;
  return {
    ...WORDS,
    properties: { part },
    ...(named ? { $defs: named } : {}),
    ...(definitions ? { definitions } : {}),
  };
};

const PLACES: readonly [place: string, schema: (part: JsonSchema) => JsonSchema, sent: (a: string) => JsonObject][] = [
  ['at the top', (part) => ({ ...WORDS, ...part }), (a) => ({ a })],
  ['within', within, (a) => ({ part: { a } })],
];

const ran = (parameters: JsonSchema, text: string, dialect: string): unknown => {
  const parser = createParser({ dialect, tools: [{ name: 'tool', parameters }] });
  parser.push(text);
  return parser.end().result.calls[0]?.arguments;
};

test.each(PLACES)('%s', (_place, around, sent) => {
  verifies('K4', 'L4');
  for (const [name, part] of Object.entries(SCHEMAS)) {
    const schema = around(part);
    const call = `<tool_call>${JSON.stringify({ name: 'tool', arguments: sent('1.5') })}</tool_call>`;
    const streamed = ran(schema, call, 'hermes');
    const executed = validateArguments(schema, sent('1.5'), 'model');
    expect(executed, name).toMatchObject({ ok: true });
    expect(streamed, name).toEqual(executed.ok && executed.arguments);
    expect(JSON.stringify(streamed), name).toContain('"a":1.5');
  }
});

test('in tags, where all values are text', () => {
  verifies('K4', 'L4');
  const call = '<tool_call>\n<function=tool>\n<parameter=a>\n1.5\n</parameter>\n</function>\n</tool_call>';
  for (const [name, part] of Object.entries(SCHEMAS))
    expect(ran({ ...WORDS, ...part }, call, 'qwen3-coder'), name).toEqual({ a: 1.5 });
});

test.each([
  ['items', { items: NUMBER }, ['1', '2'], [1, 2]],
  [
    'prefixItems',
    { prefixItems: [{ type: 'boolean' }, { type: 'string' }], items: NUMBER },
    ['true', 'x', '3'],
    [...LIST, 3],
  ],
  [
    'items as a list',
    { items: [{ type: 'boolean' }, { type: 'string' }], additionalItems: NUMBER },
    ['true', 'x', '3'],
    [...LIST, 3],
  ],
  ['items of a part', { allOf: [{ items: NUMBER }] }, ['1'], [1]],
])('of a list: %s', (_name, part, sent, kept) => {
  const schema: JsonSchema = { type: 'object', properties: { list: { type: 'array', ...part } } };
  const call = `<tool_call>${JSON.stringify({ name: 'tool', arguments: { list: sent } })}</tool_call>`;
  expect(ran(schema, call, 'hermes')).toEqual({ list: kept });
  expect(validateArguments(schema, { list: sent }, 'model')).toMatchObject({ ok: true, arguments: { list: kept } });
});
