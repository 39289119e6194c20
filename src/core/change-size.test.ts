import { describe, expect, it } from 'vitest';
import { diffTexts, unifiedDiff } from '../tools/support/diff.ts';
import { changeSize } from './change-size.ts';

const lines = (count: number, text = 'line'): string => `${text}\n`.repeat(count);
const sizeOf = (before: string, after: string, isNew = false): string | undefined =>
  changeSize(unifiedDiff('a.txt', diffTexts(before, after), isNew));

describe('the size of a change', () => {
  it.each([
    ['a new file', '', lines(3), true, '+3 -0'],
    ['a file without a line feed at its end', 'one', 'two', false, '+1 -1'],
    ['lines that look like headings', '-- a\n++ b\n@@ c\n', '++ b\n@@ c\n-- a\n', false, '+1 -1'],
    ['several places', `a\n${lines(20)}b\n`, `c\n${lines(20)}d\ne\n`, false, '+3 -2'],
    ['a file of other lines throughout', lines(4_000, 'old'), lines(4_000, 'new'), false, '+4000 -4000'],
    ['an empty file', 'one\n', '', false, '+0 -1'],
  ] as const)('is counted of %s', (_, before, after, isNew, size) => {
    expect(sizeOf(before, after, isNew)).toBe(size);
  });

  it('is said of no diff that is not whole', () => {
    expect(sizeOf(lines(30_000, 'old'), lines(30_000, 'new'))).toBeUndefined();
    expect(changeSize('no diff at all')).toBeUndefined();
  });
});
