import { expect, it } from 'vitest';
import { wholeSentences } from './format.ts';

it.each([
  ['One. Two. Three.', 10, 'One. Two.'],
  ['One. Two. Three.', 100, 'One. Two. Three.'],
  ['One! Two? Three.', 8, 'One!'],
  ['Version 3.5 of it. Then.', 20, 'Version 3.5 of it.'],
  ['See `halter serve`. `x` is it.', 20, 'See `halter serve`.'],
  ['A sentence without any end', 12, 'A sentence …'],
  ['Averylongwordthatnevercomestoanend', 10, 'Averylongw …'],
  ['', 10, ''],
])('of %j, %d characters give the sentences %j', (text, characters, shown) => {
  expect(wholeSentences(text, characters)).toBe(shown);
});
