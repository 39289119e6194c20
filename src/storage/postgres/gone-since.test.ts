import { expect, test } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { STORAGE_LIMITS } from '../limits.ts';
import { GoneSince } from './gone-since.ts';

const { databaseTakeoverMs: enough, databaseGoneKnownMs: known } = STORAGE_LIMITS;
type Look = [at: number, isGone: boolean | null];

const CASES: [what: string, looks: Look[], gone: boolean][] = [
  ['seen once', [[0, true]], false],
  [
    'seen twice at once',
    [
      [0, true],
      [1, true],
    ],
    false,
  ],
  [
    'seen again after a while',
    [
      [0, true],
      [enough, true],
    ],
    true,
  ],
  [
    'back in between',
    [
      [0, true],
      [enough / 2, false],
      [enough, true],
    ],
    false,
  ],
  [
    'not known in between, as while the database starts',
    [
      [0, true],
      [enough / 2, null],
      [enough, true],
    ],
    true,
  ],
  [
    'not known now',
    [
      [0, true],
      [enough, null],
    ],
    false,
  ],
  [
    'absent long ago and now',
    [
      [0, true],
      [known + 1, true],
    ],
    false,
  ],
];

test.each(CASES)('a process %s', (_, looks, gone) => {
  verifies('B12');
  let now = 0;
  const goneSince = new GoneSince(() => now);
  const found = looks.map(([at, isGone]) => {
    now = at;
    return goneSince.look(7, isGone);
  });
  expect(found.at(-1)).toBe(gone);
  // Of another one nothing was seen.
  expect(goneSince.look(8, true)).toBe(false);
});
