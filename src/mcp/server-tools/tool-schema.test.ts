import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { validateArguments } from '../../core/validate-arguments.ts';
import { toolParameters } from './tool-schema.ts';

describe('the schema of a tool', () => {
  it('is checked here and never fetched: what lies elsewhere says nothing', () => {
    verifies('B10');
    expect(toolParameters({ $ref: 'http://evil.test/s.json' })).toEqual({ type: 'object', properties: {} });
    const inner = toolParameters({
      type: 'object',
      properties: { a: { $ref: 'https://evil.test/x' }, $ref: { type: 'string' } },
      $defs: { b: { type: 'integer' } },
    });
    expect(inner).toMatchObject({ properties: { a: {}, $ref: { type: 'string' } }, $defs: { b: { type: 'integer' } } });
    expect(JSON.stringify(inner)).not.toContain('evil.test');
  });

  it('follows references by name within it', () => {
    const schema = toolParameters({
      type: 'object',
      properties: { a: { $ref: '#a' }, b: { $dynamicRef: '#b' }, c: { $recursiveRef: 'https://evil.test/x' } },
      $defs: { a: { $anchor: 'a', type: 'integer' }, b: { $dynamicAnchor: 'b', type: 'integer' } },
    });
    expect(validateArguments(schema, { a: 1, b: 2, c: 'any' }, 'strict')).toMatchObject({ ok: true });
    expect(validateArguments(schema, { b: 'x' }, 'strict')).toEqual({
      ok: false,
      issues: ['b must be integer, not string'],
    });
  });

  it('has its patterns tried, whatever they are; what cannot be tried is told', () => {
    verifies('B10');
    const schema = toolParameters({
      type: 'object',
      properties: {
        x: { type: 'string', description: 'A word', pattern: '(a+)\\1$' },
        y: { pattern: '(b+)+$' },
        z: { pattern: '(?P<z>x)' },
      },
      patternProperties: { '(q+)+$': { type: 'integer' } },
      additionalProperties: false,
    });
    expect(schema['properties']).toEqual({
      x: { type: 'string', description: 'A word (must match (a+)\\1$)' },
      y: { pattern: '(b+)+$' },
      z: { description: '(must match (?P<z>x))' },
    });
    const long = 'q'.repeat(60);
    const fits = (args: Record<string, string | number>) => validateArguments(schema, args, 'strict').ok;
    expect(fits({ x: 'any', y: `${'b'.repeat(60)}`, z: 'any', [long]: 1 })).toBe(true);
    expect(fits({ y: `${'b'.repeat(60)}!` })).toBe(false);
    expect(fits({ [long]: 'text' })).toBe(false);
  });

  it('is one that arguments can be checked by, whatever the server sent', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()), (schema, args) => {
        const parameters = toolParameters(schema);
        expect(parameters['type']).toBe('object');
        validateArguments(parameters, args, 'model');
      }),
    );
  });
});
