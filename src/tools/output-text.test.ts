import { describe, expect, it } from 'vitest';
import { isBinary } from './output-text.ts';

const decoded = (hex: string): string => Buffer.from(hex, 'hex').toString('utf8');

describe('output that is no text', () => {
  it.each(['00010203', '89504e470d0a1a0a', 'ffd8ffe1', '1f8b08080102', '7f454c460201', 'fdfe80818283'])(
    'is %s',
    (hex) => {
      expect(isBinary(decoded(hex))).toBe(true);
    },
  );

  it('is not a text with a byte of another encoding, with colours, a progress bar or emojis', () => {
    const texts = [decoded('666f6fc328626172'), '\x1b[31mred\x1b[0m', '10%\b\b\b20%\r30%', '👍🏽 ✓', '', 'Grüße'];
    for (const text of texts) expect([text, isBinary(text)]).toEqual([text, false]);
    expect(isBinary(Buffer.from('Es grünt so grün, wenn Spaniens Blüten blühen', 'latin1').toString('utf8'))).toBe(
      false,
    );
  });
});
