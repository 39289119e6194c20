import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginningOf, endOf } from './cut-text.ts';
import { sentencesOf } from './window/sentences.ts';
import { cutMessageText, cutResultText, firstWords } from './window/text.ts';

const SIGNS = [
  'a',
  ' ',
  'か',
  '\u{1F44D}\u{1F3FF}',
  '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}',
  'e\u0301',
  '\u{20BB7}',
  '\u2764\uFE0F',
  '\u{1F3F4}\u{E0067}\u{E0062}\u{E007F}',
  '각',
];
const signs = fc.array(fc.constantFrom(...SIGNS), { maxLength: 400 });
const isWhole = (part: string, all: readonly string[]): boolean => {
  let left = part;
  const longest = [...new Set(all)].sort((one, other) => other.length - one.length);
  while (left !== '') {
    const sign = longest.find((each) => left.startsWith(each));
    if (sign === undefined) return false;
    left = left.slice(sign.length);
  }
  return true;
};

describe('a text that is cut', () => {
  it('has no part of a character at its end or at its beginning', () => {
    fc.assert(
      fc.property(signs, fc.nat(500), (all, characters) => {
        const text = all.join('');
        const [beginning, end] = [beginningOf(text, characters), endOf(text, characters)];
        expect(text.startsWith(beginning) && text.endsWith(end)).toBe(true);
        expect(Math.max(beginning.length, end.length)).toBeLessThanOrEqual(Math.max(characters, 0));
        expect([isWhole(beginning, SIGNS), isWhole(end, SIGNS)]).toEqual([true, true]);
        expect(beginning.length + 64).toBeGreaterThanOrEqual(Math.min(characters, text.length));
      }),
    );
  });

  const dropped = { name: 'x', arguments: {}, success: true, leftOut: undefined, place: undefined, mayRepeat: true };
  const CUTS: Record<string, (text: string, characters: number) => string[]> = {
    'first words': (text, characters) => [firstWords(text, characters).replace(/…$/, '')],
    'a message that no window holds': (text, characters) => [
      cutMessageText(text, characters).split('\n[the first')[0] ?? '',
    ],
    'a result': (text, characters) => [
      cutResultText({ ...dropped, content: text }, characters).split('\n[cut')[0] ?? '',
    ],
    sentences: (text) => sentencesOf(text),
  };
  it.each(Object.keys(CUTS))('for the window: %s', (name) => {
    for (const sign of SIGNS.filter((each) => each !== ' '))
      for (let before = 0; before < 12; before += 1) {
        const parts = CUTS[name]?.(`${'A'.repeat(988 + before)}${sign.repeat(900)}`, 1_000) ?? [];
        for (const part of parts) expect([sign, before, isWhole(part, [sign, 'A'])]).toEqual([sign, before, true]);
      }
  });

  it('of no end at all is cut all the same, and keeps its pairs', () => {
    const text = `a${'\u0301'.repeat(5_000)}`;
    expect(beginningOf(text, 1_000)).toHaveLength(1_000);
    expect(endOf(text, 1_000).length).toBeGreaterThan(800);
    expect(beginningOf('\u{1F469}\u200D'.repeat(2_000), 1_000).isWellFormed()).toBe(true);
  });
});
