/** What fits surely is what `checkValue` finds nothing wrong with; the events of an ordinary session are told so. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EVENTS_A_TURN, longLog } from '../../bench/long-log.ts';
import { verifies } from '../../tests/requirements.ts';
import { EVENT_SCHEMAS } from '../core/event-schemas.ts';
import { checkValue, type Schema, type SchemaValue, surelyFits } from './index.ts';

const KEYS = ['a', 'b', '__proto__'];
const scalar = fc.oneof(
  fc.constantFrom('', 'a', 'text', '𝄞𝄞', true, false, null, 0, -0, 1, 2.5, 1e16, 2 ** 53, Infinity, -Infinity, NaN),
  fc.integer({ min: -3, max: 9 }),
);
const { value } = fc.letrec<{ value: SchemaValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(fc.tuple(fc.constantFrom(...KEYS), tie('value')), { maxLength: 3 })
      .map((entries) => Object.fromEntries(entries)),
  ),
}));
const TYPES = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object', 'none'];
const count = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom(-1, 0.5, 2.5));
/** Words that are known there, words that are not, and words that say what nobody understands. */
const { schema } = fc.letrec<{ schema: Schema }>((tie) => {
  const part = fc.oneof({ arbitrary: tie('schema'), weight: 6 }, { arbitrary: fc.boolean(), weight: 1 });
  const properties = fc
    .array(fc.tuple(fc.constantFrom(...KEYS), part), { maxLength: 2 })
    .map((entries) => Object.fromEntries(entries));
  const words = fc.record(
    {
      type: fc.oneof(fc.constantFrom(...TYPES), fc.uniqueArray(fc.constantFrom(...TYPES), { maxLength: 3 }), value),
      properties: fc.oneof({ arbitrary: properties, weight: 5 }, { arbitrary: value, weight: 1 }),
      additionalProperties: part,
      required: fc.oneof(fc.uniqueArray(fc.constantFrom(...KEYS), { maxLength: 2 }), value),
      items: fc.oneof(part, fc.array(part, { maxLength: 2 })),
      anyOf: fc.array(part, { maxLength: 2 }),
      enum: fc.oneof(fc.array(value, { maxLength: 3 }), value),
      const: value,
      minimum: fc.oneof(count, value),
      maximum: count,
      minLength: fc.oneof(count, value),
      maxLength: count,
      minItems: count,
      maxItems: count,
      description: fc.constant('a word'),
      exclusiveMinimum: fc.oneof(count, fc.boolean()),
      multipleOf: count,
      pattern: fc.constantFrom('^a', '('),
      not: part,
      oneOf: fc.array(part, { maxLength: 2 }),
      allOf: fc.array(part, { maxLength: 2 }),
      uniqueItems: fc.boolean(),
      minProperties: count,
      patternProperties: fc.constant({ '^a': { type: 'number' } }),
      $ref: fc.constantFrom('#', '#/nowhere'),
    } as Record<string, fc.Arbitrary<SchemaValue>>,
    { requiredKeys: [] },
  );
  // A few words of many, so that some are understood whole.
  const few = fc.tuple(words, fc.array(fc.nat(), { minLength: 1, maxLength: 4 })).map(([all, picks]) => {
    const names = Object.keys(all);
    return Object.fromEntries(
      picks.flatMap((pick) => names[pick % names.length] ?? []).map((name) => [name, all[name]]),
    );
  });
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(...TYPES).map((type) => ({ type })),
      few,
    ) as fc.Arbitrary<Schema>,
  };
});

describe('what surely fits', () => {
  test('is what nothing is found wrong with, whatever the schema says', () => {
    verifies('K4');
    let surely = 0;
    let fitting = 0;
    fc.assert(
      fc.property(schema, value, (asked, given) => {
        const found = checkValue(asked, given);
        fitting += found.length === 0 ? 1 : 0;
        if (!surelyFits(asked, given)) return;
        surely += 1;
        expect(found).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
    // Else the property would say nothing.
    expect(surely).toBeGreaterThan(fitting / 3);
  });

  test.each([
    'minimum',
    'maximum',
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'const',
    'enum',
    'type',
    'required',
  ])('is told of %s for every limit and value of a table', (word) => {
    verifies('K4');
    const limits = [-1, 0, 0.5, 1, 2, 2.5, 3, 4, 'a', null, true, [], [1, 'a'], ['integer', 'null'], {}, ...TYPES];
    const values = [
      -1,
      0,
      0.4,
      0.5,
      1,
      2,
      3,
      4,
      1e16,
      Infinity,
      NaN,
      '',
      'a',
      'bb',
      'ccc',
      '𝄞',
      '𝄞𝄞',
      'dddddddd',
      true,
    ];
    const others = [null, [], [1], [1, 'a'], [1, 2, 3, 4], {}, { a: 1 }, { b: 1 }];
    let fitting = 0;
    for (const limit of limits)
      for (const given of [...values, ...others]) {
        const found = checkValue({ [word]: limit }, given);
        const fits = surelyFits({ [word]: limit }, given);
        if (fits) expect({ limit, given, found }).toEqual({ limit, given, found: [] });
        fitting += fits ? 1 : 0;
      }
    expect(fitting).toBeGreaterThan(0);
  });

  test('is every event of an ordinary session', () => {
    verifies('H10');
    const events = longLog({ id: 'one', workspace: '/w', turns: 2, data: 'text' });
    expect(events.length).toBe(2 * EVENTS_A_TURN + 1);
    for (const event of events)
      expect({ type: event.type, fits: surelyFits(EVENT_SCHEMAS[event.type], event) }).toEqual({
        type: event.type,
        fits: true,
      });
  });

  test('is told of an event whose shape is another one as checkValue tells it', () => {
    verifies('H10');
    let refused = 0;
    for (const event of longLog({ id: 'one', workspace: '/w', turns: 1, data: 'text' })) {
      const asked = EVENT_SCHEMAS[event.type];
      for (const key of Object.keys(event)) {
        const changed = { ...event, [key]: [[{ no: 1 }]] };
        const { [key as 'at']: _left, ...without } = event;
        for (const given of [changed, without]) {
          const isWell = checkValue(asked, given as never).length === 0;
          refused += isWell ? 0 : 1;
          expect({ type: event.type, key, fits: surelyFits(asked, given) }).toEqual({
            type: event.type,
            key,
            fits: isWell,
          });
        }
      }
    }
    expect(refused).toBeGreaterThan(20);
  });
});
