import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { validateArguments } from '../../core/validate-arguments.ts';
import { isQuickPattern } from './quick-pattern.ts';
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

  it('is tried only where that takes next to no time; the rest of a pattern is told', () => {
    verifies('B10');
    for (const quick of ['^[a-z0-9-]+$', '^\\d{4}-\\d{2}-\\d{2}$', 'a.c', '^x{1,3}$', '^v\\d+\\.\\d$', '[^/]'])
      expect([quick, isQuickPattern(quick)]).toEqual([quick, true]);
    for (const slow of [
      '(a+)+$',
      'a+a+$',
      '^a*b*$',
      '[a-z]+!',
      '(?=x)',
      '(a|a)*',
      '\\1',
      '^(?:a|b)$',
      'a{1,9999}',
      '^x{0,9}y{0,9}',
    ])
      expect([slow, isQuickPattern(slow)]).toEqual([slow, false]);
    const schema = toolParameters({
      type: 'object',
      properties: { x: { type: 'string', description: 'A word', pattern: '(a+)+$' }, y: { pattern: '^b$' } },
      patternProperties: { '(z+)+': { type: 'string' } },
      additionalProperties: false,
    });
    expect(schema['properties']).toEqual({
      x: { type: 'string', description: 'A word (must match (a+)+$)' },
      y: { pattern: '^b$' },
    });
    const began = performance.now();
    expect(validateArguments(schema, { x: `${'a'.repeat(60)}!`, zz: 'more' }, 'strict')).toMatchObject({ ok: true });
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('never takes long, whatever pattern passes for a quick one', () => {
    const part = fc.constantFrom(
      'a',
      'b',
      '.',
      '[ab]',
      '[^a]',
      '\\w',
      '*',
      '+',
      '?',
      '{2}',
      '{1,5}',
      '{3,}',
      '^',
      '$',
      '|',
      '(',
      ')',
    );
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 12 }),
        fc.array(fc.constantFrom('a', 'b', '!'), { maxLength: 4 }),
        (parts, end) => {
          const pattern = parts.join('');
          if (!isQuickPattern(pattern)) return;
          let expression: RegExp;
          try {
            expression = new RegExp(pattern, 'u');
          } catch {
            return;
          }
          const began = performance.now();
          expression.test('ab'.repeat(20_000) + end.join(''));
          expect(performance.now() - began).toBeLessThan(500);
        },
      ),
    );
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
