import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lastWhere } from './last-where.ts';

type Item = { number: number };
const isWanted = ({ number }: Item, before: Item | undefined): boolean => before?.number === number;

test('is what a look through the whole list finds, for lists that grow, shrink and are changed', () => {
  const change = fc.oneof(
    fc.record({ add: fc.array(fc.nat(2), { minLength: 1, maxLength: 4 }) }),
    fc.record({ keep: fc.nat(8) }),
  );
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
      const last = lastWhere(isWanted);
      const list: Item[] = [];
      for (const step of changes) {
        if ('add' in step) list.push(...step.add.map((number) => ({ number })));
        else list.length = Math.min(list.length, step.keep);
        expect(last(list)).toBe(list.findLast((item, index) => isWanted(item, list[index - 1])));
      }
    }),
  );
});

test('looks at each item of a list that grows once', () => {
  let looks = 0;
  const last = lastWhere<Item>(() => {
    looks += 1;
    return false;
  });
  const list: Item[] = [];
  for (let number = 0; number < 100; number += 1) {
    list.push({ number });
    last(list);
  }
  expect(looks).toBe(100);
});
