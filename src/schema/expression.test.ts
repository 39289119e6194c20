import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EVIL_EXPRESSIONS } from '../../tests/support/evil-patterns.ts';
import { rounds } from '../../tests/support/long.ts';
import { checkValue } from './check.ts';
import { expressionOf } from './expression.ts';
import { schemaFaults } from './faults.ts';
import { SCHEMA_LIMITS } from './limits.ts';
import type { Schema } from './schema-value.ts';

describe('the regular expression of a stranger', () => {
  it.each(EVIL_EXPRESSIONS)('is read once over the text: %s', (pattern, text) => {
    const expression = expressionOf(pattern);
    if (expression?.kind !== 'checked') throw new Error('refused');
    const steps = { left: SCHEMA_LIMITS.checkSteps };
    expect(expression.fits(text, steps)).toBe(false);
    // As many states as the pattern has parts, for each letter and once more for a look round.
    expect(SCHEMA_LIMITS.checkSteps - steps.left).toBeLessThan(2 * 4_000 * (text.length + 1));
  });

  const REFUSED: readonly (readonly [string, string])[] = [
    ['(a+)\\1', 'goes back'],
    ['(?<x>a+)\\k<x>', 'goes back'],
    ['(?i:a)', 'flags'],
    ['(?:(?:a{1000}){1000}){1000}', 'too many parts'],
    ['(?:(?:(?:){1000}){1000}){1000}', 'too many parts'],
    ['a{1000000000}', 'too many parts'],
    [`${'('.repeat(200)}a${')'.repeat(200)}`, 'too deeply'],
    ['a'.repeat(10_001), 'too long'],
  ];
  it.each(REFUSED)('is refused in words where it cannot be told so: %.40s', (pattern, because) => {
    expect(expressionOf(pattern)).toMatchObject({ kind: 'refused', because: expect.stringContaining(because) });
    const said = [{ message: expect.stringContaining(because) }];
    expect(checkValue({ pattern }, 'aa')).toMatchObject(said);
    expect(schemaFaults({ pattern })).toMatchObject(said);
    expect(schemaFaults({ patternProperties: { [pattern]: {} } })).toMatchObject(said);
  });

  /** What cannot be told is never taken for a yes, however it is asked. */
  const UNTOLD: readonly Schema[] = [
    { pattern: '(a)\\1' },
    { not: { pattern: '(a)\\1' } },
    { anyOf: [{ pattern: '(a)\\1' }, { not: { pattern: '(a)\\1' } }] },
    { if: { pattern: '(a)\\1' }, else: {} },
    { oneOf: [{}, { pattern: '(a)\\1' }] },
    { not: { pattern: '(a?){9000}b' } },
  ];
  it.each(UNTOLD)('makes no value fit where it cannot be told: %j', (schema) => {
    expect(checkValue(schema, 'a'.repeat(3_000))).not.toEqual([]);
  });

  it('has its steps for all texts of a value together', () => {
    const schema = { items: { pattern: '^(a?){500}$' } };
    const said = checkValue(schema, Array<string>(100).fill('a'.repeat(500)));
    expect(said.at(-1)?.message).toContain('is too long to be held against');
  });

  const PIECES = [
    ...['a', 'b', '.', '\\w', '\\d', '[ab]', '[^a]', '[^]', '[]', '\\u0061', '\\x62', '-', '\\-', '😀', '\\s', '\\.'],
    ...[
      '*',
      '+',
      '?',
      '*?',
      '{2}',
      '{1,2}',
      '{0,1}?',
      '{2,}',
      '{',
      '}',
      ']',
      '^',
      '$',
      '\\b',
      '\\B',
      '|',
      '|',
      ')',
      ')',
      ')',
    ],
    ...['(', '(?:', '(?=', '(?!', '(?<=', '(?<!', '(?<n>'],
  ];
  const pattern = fc.array(fc.constantFrom(...PIECES), { maxLength: 9 }).map((parts) => parts.join(''));
  const text = fc.array(fc.constantFrom('a', 'b', '-', '1', ' ', '\n', '😀', '\ud83d'), { maxLength: 6 });

  /**
   * Where a match may begin. With `u`, a text is a list of code points (ECMA-262, RegExpBuiltinExec and AdvanceStringIndex).
   * V8's `test` also tries the place between the two units of one letter: `(?!^)(?!$)` finds itself in '😀' there. So its
   * engine is asked at each place by itself.
   */
  const placesIn = (whole: string, unicode: boolean): number[] => {
    let place = 0;
    const ends = (unicode ? [...whole] : whole.split('')).map((letter) => (place += letter.length));
    return [0, ...ends];
  };

  it('says what the engine of the language says', () => {
    fc.assert(
      fc.property(pattern, text, (source, letters) => {
        const flags = ['u', ''].find((each) => {
          try {
            return new RegExp(source, each) instanceof RegExp;
          } catch {
            return false;
          }
        });
        const expression = expressionOf(source);
        expect(expression === undefined).toBe(flags === undefined);
        if (expression?.kind !== 'checked') return;
        const whole = letters.join('');
        const found = placesIn(whole, flags === 'u').some((place) => {
          const sticky = new RegExp(source, `${flags}y`);
          sticky.lastIndex = place;
          return sticky.test(whole);
        });
        expect([source, whole, expression.fits(whole)]).toEqual([source, whole, found]);
      }),
      { numRuns: rounds(3_000, 100_000) },
    );
  });

  it.each([
    ['(?!.*?$)', '😀', false],
    ['(?!^)(?!$)', '😀', false],
    ['(?!^)(?!$)', '😀😀', true],
    ['(?!^)\\B(?!$)', 'a😀', false],
    ['(?<!^|😀)', '😀😀', false],
    ['(?<![^])', '😀', true],
    ['^.$', '😀', true],
  ])('takes a letter of two units for one: %s in %s', (source, whole, fits) => {
    expect(expressionOf(source)).toMatchObject({ kind: 'checked' });
    expect(checkValue({ pattern: source }, whole).length === 0).toBe(fits);
  });

  it('says so of the patterns that schemas have', () => {
    const usual: readonly (readonly [string, readonly string[], readonly string[]])[] = [
      ['^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$', ['a', 'a.b-c'], ['', '-a', 'a b', 'a'.repeat(129)]],
      ['^(?!-)[a-z0-9-]{1,63}(?<!-)$', ['a', 'a-b'], ['-a', 'a-', '']],
      ['^(?=.*\\d)(?=.*[a-z]).{8,}$', ['abcdefg1'], ['abcdefgh', 'a1']],
      ['^\\+?[1-9]\\d{1,14}$', ['+4915112345678'], ['0', '+']],
      ['^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$', ['00:11:22:33:44:55'], ['00:11']],
      ['\\.(?:png|jpe?g)$', ['a.png', 'b.jpeg'], ['a.gif']],
      ['^[^/]+/[^/]+$', ['a/b'], ['a', 'a/b/c']],
      ['^\\S+@\\S+\\.\\S+$', ['a@b.c'], ['a@b', 'a b@c.d']],
      ['^\\p{Lu}\\p{Ll}+$', ['Émile'], ['émile']],
      ['^[\\s\\S]{1,2048}$', ['x\ny'], ['']],
      ['^\\_x\\-y$', ['_x-y'], ['x']],
    ];
    for (const [source, fits, misfits] of usual) {
      for (const value of fits)
        expect([source, value, checkValue({ pattern: source }, value)]).toEqual([source, value, []]);
      for (const value of misfits)
        expect([source, value, checkValue({ pattern: source }, value).length]).toEqual([source, value, 1]);
    }
  });
});
