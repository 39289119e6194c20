import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { cleanDescription, cleanText, shownWord } from './clean-text.ts';

const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u{E0000}-\u{E0FFF}]|[\u0000-\u0008\u000b-\u001f\u007f]/u;
const anyText = fc.string({ unit: 'binary' });

describe('what a server says', () => {
  it('reaches a prompt without anything that cannot be seen, and says so where something was left out', () => {
    verifies('B10');
    expect(cleanDescription('ok\u{E0073}\u{E0074}', 100)).toBe('ok [2 invisible characters were left out]');
    expect(cleanDescription('Adds numbers.', 100)).toBe('Adds numbers.');
    expect(cleanDescription('x'.repeat(200), 100)).toHaveLength(104);
    fc.assert(
      fc.property(anyText, (text) => {
        expect(cleanText(text).text).not.toMatch(UNSEEN);
      }),
    );
  });

  it('is shown with nothing left out and nothing that a terminal obeys', () => {
    verifies('B10');
    expect(shownWord('a\u202eb')).toBe('"a\\u{202E}b"');
    fc.assert(
      fc.property(anyText, anyText, (one, other) => {
        expect(shownWord(one)).not.toMatch(UNSEEN);
        if (one !== other && !/\\u\{/.test(one + other)) expect(shownWord(one)).not.toBe(shownWord(other));
      }),
    );
  });
});
