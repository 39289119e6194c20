import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { rounds } from '../../tests/support/long.ts';
import { isUnsafe, Sanitizer, sanitizeLine, sanitizeText } from './sanitize.ts';

/** Written apart from the sanitiser's own pattern, from the ranges that terminals and readers act on. */
const DANGEROUS =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: the class names single code points on purpose.
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffc\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/u;
const LONE_SURROGATE = /\p{Cs}/u;

const nasty = fc.constantFrom(
  '\u001b',
  '\u001b[31m',
  '\u001b]0;x\u0007',
  '\u009b',
  '\r',
  '\n',
  '\t',
  '\b',
  '\u202e',
  '\u200b',
  '\u{e0041}',
  '\ufe0f',
  '⚠️',
  '\ud83d',
  '\ude00',
  'e\u0301',
  '日本',
  '\u2028',
);
const hostileText = fc
  .array(fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 6 }), fc.string({ maxLength: 6 })), { maxLength: 12 })
  .map((parts) => parts.join(''));

const inPieces = (text: string, cuts: readonly number[]): string => {
  const sanitizer = new Sanitizer('text');
  let out = '';
  let from = 0;
  for (const cut of [...new Set(cuts.map((each) => each % (text.length + 1)))].sort((a, b) => a - b)) {
    out += sanitizer.push(text.slice(from, cut));
    from = cut;
  }
  return out + sanitizer.push(text.slice(from)) + sanitizer.end();
};

describe('sanitiser', () => {
  it('lets no unsafe character through, however the text is cut, and gives the same text for every cut', () => {
    verifies('Z19');
    fc.assert(
      fc.property(hostileText, fc.array(fc.nat(60), { maxLength: 5 }), (text, cuts) => {
        const whole = sanitizeText(text);
        expect(DANGEROUS.test(whole) || LONE_SURROGATE.test(whole)).toBe(false);
        expect(isUnsafe(whole)).toBe(false);
        expect(inPieces(text, cuts)).toBe(whole);
        const line = sanitizeLine(text);
        expect(DANGEROUS.test(line) || LONE_SURROGATE.test(line) || line.includes('\n')).toBe(false);
      }),
      { numRuns: rounds(3_000, 500_000) },
    );
  });

  it('leaves ordinary text of any language as it is', () => {
    for (const text of ['données/naïve-日本語.txt', 'Ελληνικά, русский, हिन्दी, ไทย', 'a — “b” ✓ 😀', 'x\n  y\n']) {
      expect(sanitizeText(text)).toBe(text);
    }
    expect(sanitizeText('a\r\nb')).toBe('a\nb');
    expect(sanitizeText('a\tb')).toBe('a   b');
    expect(sanitizeText('⚠️ mind')).toBe('⚠ mind');
  });

  it('shows what it escapes', () => {
    expect(sanitizeText('a\u001bb\rc')).toBe('a\\u{1B}b\\rc');
    expect(sanitizeLine('ls #\u202e\n\t\u00a0\ufe0f')).toBe('ls #\\u{202E}\\n\\t\\u{A0}\\u{FE0F}');
    expect(sanitizeLine('\u0301x')).toBe('\\u{301}x');
    // A font may draw these as a letter; in an icon of a listing nobody is asked for a yes.
    expect(sanitizeLine('l\ue000\u{f0000}\u0378')).toBe('l\\u{E000}\\u{F0000}\\u{378}');
    expect(sanitizeText('\ue0b0')).toBe('\ue0b0');
    expect(sanitizeText(`z${'\u0301'.repeat(20)}`)).toHaveLength(1 + 6 + 14 * '\\u{301}'.length);
  });

  it('meets every case of the terminal-escape catalogue, whole and split', () => {
    for (const attack of readAttacks()) {
      const pieces = Array.isArray(attack.given.text) ? attack.given.text : [attack.given.text];
      const sanitizer = new Sanitizer('text');
      const out = pieces.map((piece) => sanitizer.push(piece)).join('') + sanitizer.end();
      for (const forbidden of attack.then.raw_output_must_not_contain) expect(out).not.toContain(forbidden);
      for (const wanted of attack.then.screen_must_contain ?? []) expect(out).toContain(wanted);
      expect(out.length).toBeGreaterThanOrEqual(pieces.join('').length);
    }
  });
});

type Attack = {
  given: { text: string | string[] };
  then: { raw_output_must_not_contain: string[]; screen_must_contain?: string[] };
};
const readAttacks = (): Attack[] =>
  JSON.parse(
    readFileSync(new URL('../../tests/e2e/terminal-attacks/terminal-escape.json', import.meta.url), 'utf8'),
  ) as Attack[];

it.each([
  ['1️⃣ 2️⃣ #️⃣ *️⃣', '1⃣ 2⃣ #⃣ *⃣'],
  ['1⃣', '1⃣'],
  ['12️⃣3', '12⃣3'],
  ['1️', '1\\u{FE0F}'],
  ['1️ x', '1\\u{FE0F} x'],
  ['1️️⃣', '1\\u{FE0F}\\u{FE0F}⃣'],
  ['a️⃣', 'a\\u{FE0F}⃣'],
  ['☎︎ ☎️ ✔️', '☎ ☎ ✔'],
  ['🇩🇪🇫🇷', '🇩🇪🇫🇷'],
  ['👩🏽‍🚀 👍🏿', '👩🏽‍🚀 👍🏿'],
])('shows %j as %j, in whatever pieces it comes', (text, shown) => {
  const sanitizer = new Sanitizer('text');
  const pieces = text.split('').map((unit) => sanitizer.push(unit));
  expect(pieces.join('') + sanitizer.end()).toBe(shown);
  expect(sanitizeText(text)).toBe(shown);
});

it('keeps joined emoji and joined letters, and shows every other joiner', () => {
  const pieces = (text: string): string => {
    const sanitizer = new Sanitizer('text');
    return (
      text
        .split('')
        .map((unit) => sanitizer.push(unit))
        .join('') + sanitizer.end()
    );
  };
  for (const text of ['👩‍👩‍👧‍👦!', '👍🏽‍', 'می\u200cخواهم', 'क्\u200dष', 'שָׁלוֹם', 'cafe\u0301']) {
    const shown = text.replace(/\u200d$/, '\\u{200D}');
    expect(sanitizeText(text)).toBe(shown);
    expect(pieces(text)).toBe(shown);
  }
  expect(sanitizeText('❤️‍🔥')).toBe('❤‍🔥');
  expect(sanitizeText('a\u200db\u200cc')).toBe('a\\u{200D}b\\u{200C}c');
  expect(sanitizeText('🎉\u200d rm -rf')).toBe('🎉\\u{200D} rm -rf');
  expect(sanitizeText('ب\u200c-x')).toBe('ب\\u{200C}-x');
  // One that is shown is nothing that the next could join.
  for (const [before, after] of [
    ['👧', '👩'],
    ['ب', 'ب'],
    ['क', 'ष'],
  ])
    for (const joiner of ['\u200d', '\u200c']) {
      const text = `${before}${joiner}${joiner}${after}`;
      const name = joiner === '\u200d' ? '\\u{200D}' : '\\u{200C}';
      expect(pieces(text)).toBe(`${before}${name}${name}${after}`);
      expect(sanitizeText(text)).toBe(`${before}${name}${name}${after}`);
    }
  expect(sanitizeLine('👩‍👩')).toBe('👩\\u{200D}👩');
});
