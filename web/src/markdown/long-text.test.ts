import { describe, expect, it } from 'vitest';
import { LONG_TEXT, longText } from './long-text.ts';

const { beginningCharacters, endCharacters } = LONG_TEXT;

describe('a text longer than anybody reads', () => {
  it('is one that is longer than the beginning that is shown', () => {
    expect(longText('x'.repeat(beginningCharacters))).toBeUndefined();
    expect(longText('x'.repeat(beginningCharacters + 1))?.end).toBe('x');
  });

  it('is cut between characters, wherever the cut falls', () => {
    for (const before of ['', 'x']) {
      const text = `${before}${'😀'.repeat(beginningCharacters)}`;
      const { beginning, end } = longText(text) ?? { beginning: '', end: '' };
      expect([beginning.isWellFormed(), end.isWellFormed()]).toEqual([true, true]);
      expect([text.startsWith(beginning), text.endsWith(end)]).toEqual([true, true]);
      expect(beginning.length).toBeGreaterThanOrEqual(beginningCharacters - 1);
    }
  });

  it('ends with its newest words while it grows, and no more than so many before them', () => {
    let shown = 0;
    for (let length = beginningCharacters + 1; length < beginningCharacters * 1.5; length += 997) {
      const { end } = longText(`${'x'.repeat(length)}!`) ?? { end: '' };
      expect(end.endsWith('!')).toBe(true);
      expect(end.length).toBeLessThanOrEqual(2 * endCharacters);
      // What was in view stays there: it loses at once what is far above the last line, and never all of it.
      if (end.length < shown) expect(end.length).toBeGreaterThanOrEqual(endCharacters);
      shown = end.length;
    }
  });

  it('shows every word of one that is a little longer', () => {
    const text = Array.from({ length: (beginningCharacters + endCharacters) / 10 }, (_, at) => `${at}`.padEnd(10)).join(
      '',
    );
    const { beginning, end } = longText(text) ?? { beginning: '', end: '' };
    expect(beginning + end).toBe(text);
  });

  it('is cut where a block ends, and code that is cut is code on both sides', () => {
    const part = (at: number): string =>
      `## Section ${at}\n\nSome words of it.\n\n| a | b |\n|---|---|\n| ${at} | x |\n\n\`\`\`ts\nconst a = ${at};\n\nconst b = 1;\n\`\`\`\n\n`;
    const whole = Array.from({ length: 6_000 }, (_, at) => part(at)).join('');
    const code = `Before.\n\n\`\`\`ts\n${'const word = 1;\n'.repeat(20_000)}\`\`\`\n`;
    for (const text of [whole, code])
      for (let length = beginningCharacters + 5_000; length < 300_000; length += 7_919) {
        const { beginning, end } = longText(text.slice(0, length)) ?? { beginning: '', end: '' };
        if (text === code) {
          expect(beginning.endsWith('const word = 1;\n')).toBe(true);
          expect(end).toMatch(/^```ts\nconst word = 1;\n/);
        } else {
          expect(beginning.endsWith('\n\n')).toBe(true);
          expect(beginning.match(/^```/gm)?.length ?? 0).toSatisfy((count: number) => count % 2 === 0);
          expect(end).toMatch(/^(?:## |Some |\| a |```ts\n)/);
        }
      }
  });
});
