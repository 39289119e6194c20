import fc from 'fast-check';
import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { folded, TextIndex, wordsOf } from './text-index.ts';

/** Letters that are written several ways, marks that join what stands before them, ends of lines, and what cannot be seen. */
const PIECES = [
  ...['a', 'B', '7', ' ', '\n', '\r\n', '.', '-', '@', 'x.test', 'é', 'e\u0301', '\u0301', 'İ', 'ΑΣ', 'ﬁ'],
  ...['\u200b', '\u00ad', '\u2028', '\u3000', '\u{1F600}', '\uD83D'],
];
const texts = fc.array(fc.constantFrom(...PIECES), { maxLength: 20 }).map((pieces) => pieces.join(''));

it('reads a text in parts as it would be read whole', () => {
  verifies('S20');
  fc.assert(
    fc.property(texts, (text) => {
      const whole = text
        .normalize('NFKC')
        .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
        .toLowerCase();
      const words: string[] = whole.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
      expect(folded(text)).toBe(whole);
      expect(wordsOf(text)).toEqual(words);
      const index = new TextIndex(['one', text, 'two']);
      for (const [at, word] of words.entries()) {
        expect(index.holdsWords(word)).toBe(true);
        expect(index.holdsWords(words.slice(at).join(''))).toBe(true);
      }
      if (words.length > 0) expect(index.holdsWords(`${words.join('')}two`)).toBe(false);
    }),
  );
});
