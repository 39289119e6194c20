/** A schema that would check nothing, or that no model can be told, is refused where the tool is made. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ParametersInput } from '../../schema/index.ts';
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
