import { applyPatch } from 'diff';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { rounds } from '../../../tests/support/long.ts';
import { shortDiff } from '../../core/short-diff.ts';
import { diffTexts, unifiedDiff } from './diff.ts';

const text = fc
  .array(fc.constantFrom('a\n', 'b\n', '\n', 'c\n', 'd\n'), { maxLength: 30 })
  .chain((lines) => fc.constantFrom(lines.join(''), `${lines.join('')}end`));

it('is a patch that makes the new text of the old one', () => {
  verifies('H7');
  fc.assert(
    fc.property(text, text, (before, after) => {
      // No time left: the clock of a busy machine must not decide what a question shows.
      for (const timeout of [undefined, -1]) {
        const diff = diffTexts(before, after, timeout);
        expect(diff.lines?.length === 0).toBe(before === after);
        if (before !== after) expect(applyPatch(before, unifiedDiff('a.txt', diff, false))).toBe(after);
      }
    }),
    { numRuns: rounds(500, 15_000) },
  );
});

const ends = fc
  .array(fc.constantFrom('a\n', 'a\r\n', 'b\n', 'b\r\n', 'a\r', '\n'), { maxLength: 12 })
  .chain((lines) => fc.constantFrom(lines.join(''), `${lines.join('')}end`, `${lines.join('')}end\r`));

it('is that patch for every mixture of line ends', () => {
  verifies('H7');
  fc.assert(
    fc.property(ends, ends, (before, after) => {
      fc.pre(before !== after);
      for (const timeout of [undefined, -1]) {
        expect(applyPatch(before, unifiedDiff('a.txt', diffTexts(before, after, timeout), false))).toBe(after);
      }
    }),
    { numRuns: rounds(500, 15_000) },
  );
});

it('leaves the carriage returns out where every line of a file ends in one', () => {
  expect(diffTexts('a\r\nb\r\n', 'a\r\nc\r\n').lines).toEqual(['@@ -1,2 +1,2 @@', ' a', '-b', '+c']);
  expect(diffTexts('a\nb\n', 'a\nb\r\n').lines).toEqual(['@@ -1,2 +1,2 @@', ' a', '-b', '+b\r']);
});

it('counts what is added and removed and shows three lines round it', () => {
  const before = Array.from({ length: 50 }, (_, index) => `line ${index + 1}\n`).join('');
  const diff = diffTexts(before, before.replace('line 30\n', 'new\nnewer\n'));
  expect(diff).toMatchObject({ added: 2, removed: 1 });
  expect(diff.lines?.[0]).toBe('@@ -27,7 +27,8 @@');
});

it('is whole for a program, and says to a person how much of a long one is missing', () => {
  const many = Array.from({ length: 500 }, (_, index) => `line ${index}\n`).join('');
  const whole = unifiedDiff('a.txt', diffTexts('', many), true);
  expect(whole.split('\n')).toHaveLength(503);
  const shown = shortDiff(whole).split('\n');
  expect(shown.at(-1)).toBe('[303 more lines of this diff are not shown]');
  expect(shortDiff(`+${'x'.repeat(9_000)}`)).toMatch(/\[line truncated: 2,000 of 9,001 characters\]$/);
  expect(shown.slice(0, 3)).toEqual(['--- /dev/null', '+++ b/a.txt', '@@ -0,0 +1,500 @@']);
});

it('stays quick where everything changes', () => {
  const side = (seed: number): string =>
    Array.from({ length: 15_000 }, (_, index) => `${(index * seed) % 9_973} ${seed}\n`).join('');
  const diff = diffTexts(side(7), side(11));
  expect(diff.added).toBeGreaterThan(10_000);
  expect(diff.lines?.length).toBeGreaterThan(10_000);
});
