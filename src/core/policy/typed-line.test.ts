/** What a terminal makes of the keys that are typed into it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { typedLines } from './typed-line.ts';

describe('lines that are typed in pieces', () => {
  it.each<[what: string, pieces: string[], lines: string]>([
    ['one whole line', ['ls\n'], 'ls\n'],
    ['two pieces', ['cat .e', 'nv\n'], 'cat .env\n'],
    ['the end of a line, and the next', ['echo a', ' b\nrm x', '\n'], 'rm x\n'],
    ['what was sent before is not judged again', ['rm x\n', 'ls\n'], 'ls\n'],
    ['Enter as terminals send it', ['rm', ' x\r'], 'rm x\n'],
    ['a line that is given up', ['echo ', '\x15rm x\n'], 'rm x\n'],
    ['a line that was given up before', ['rm x\x03', 'ls\n'], 'ls\n'],
    ['letters that are taken back', ['rn\x7f', 'm x\n'], 'rm x\n'],
    ['more than there is to take back', ['\b\b\b', 'ls\n'], 'ls\n'],
    ['keys that only the program knows stay', ['rm\x1b[D', ' x\n'], 'rm\x1b[D x\n'],
    ['Enter alone', ['y\n', '\n'], '\n'],
  ])('%s', (_what, pieces, lines) => {
    verifies('S33');
    expect(typedLines(pieces.slice(0, -1), pieces.at(-1) ?? '')).toBe(lines);
  });

  it('are the same however they are cut', () => {
    verifies('S33');
    const text = fc.string({ unit: fc.constantFrom('a', ' ', 'é', '😀', '\n', '\r', '\b', '\x7f', '\x03', '\x15') });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), text, (earlier, last) => {
        const whole = typedLines([], earlier.join('') + last);
        expect(whole.endsWith(typedLines(earlier, last))).toBe(true);
        expect(typedLines([earlier.join('')], last)).toBe(typedLines(earlier, last));
      }),
    );
  });
});
