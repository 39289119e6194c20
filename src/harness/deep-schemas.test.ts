/** What an author nests too deeply in a schema, or writes as no text, is told where it is given. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { defineTool } from '../core/tool/define-tool.ts';
import { CONVERT_LIMITS } from '../schema/limits.ts';
import { outputFormat } from './structured-output.ts';

const list = (levels: number): unknown => Array.from({ length: levels }).reduce<unknown>((inner) => [inner], 'x');
const object = (levels: number): unknown => Array.from({ length: levels }).reduce<unknown>((a) => ({ a }), 'x');
const schemaOf = (part: object): object => ({ type: 'object', properties: { a: part } });

const GIVEN: [string, (schema: object) => unknown][] = [
  [
    'defineTool',
    (parameters) => defineTool({ name: 't', description: 'T', parameters, risk: 'safe', run: () => 1 } as never),
  ],
  ['the schema of an answer', (schema) => outputFormat(schema as never)],
];
const PLACES: [string, (value: unknown) => object][] = [
  ['default', (value) => ({ default: value })],
  ['enum', (value) => ({ enum: ['y', value] })],
  ['const', (value) => ({ const: value })],
  ['examples', (value) => ({ examples: [value] })],
  ['description', (value) => ({ description: value })],
  ['a word of others', (value) => ({ 'x-note': value })],
];

describe.each(GIVEN)('%s', (_who, give) => {
  it.each(PLACES)('refuses what is nested too deeply: %s', (_place, part) => {
    verifies('B10');
    for (const nested of [list, object])
      for (const levels of [CONVERT_LIMITS.depth + 1, 3_000, 30_000])
        expect(() => give(schemaOf(part(nested(levels)))), String(levels)).toThrow('it is deeper than 64 levels');
  });

  it.each(PLACES.filter(([place]) => place !== 'description'))('takes what is not: %s', (_place, part) => {
    for (const nested of [list, object]) expect(() => give(schemaOf(part(nested(20))))).not.toThrow();
  });

  it('refuses a title or a description that is no text, and takes null for none', () => {
    for (const word of ['title', 'description']) {
      for (const value of [['a'], { a: 1 }, 1, true])
        expect(() => give(schemaOf({ [word]: value })), word).toThrow(`/${word} must be a text`);
      expect(() => give(schemaOf({ [word]: null }))).not.toThrow();
    }
  });
});
