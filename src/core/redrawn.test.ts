import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { redrawn } from './redrawn.ts';

describe('a line that is drawn again', () => {
  it.each([
    ['plain\nlines\n', 'plain\nlines\n'],
    ['1%\r2%\r3%', '3%'],
    ['1%\r2%\r', '2%\r'],
    ['\rstep 1\rstep 2', 'step 2'],
    ['a\r\nb\r\n', 'a\nb\n'],
    ['1%\r100%\r\ndone', '100%\ndone'],
    ['a\r\r\nb', 'a\nb'],
    ['\r\r', '\r'],
    ['', ''],
    ['50%\r100%\r\u001B[K', ''],
    ['50%\r\u001B[Kdone\n', 'done\n'],
    ['50%\u001B[2K\rdone', 'done'],
    ['50%\u001B[0K\r100%\u001B[K\r\nnext', '100%\nnext'],
    ['first\n50%\r\u001B[0K\nlast', 'first\n\nlast'],
  ])('%j shows %j', (text, shown) => {
    verifies('Z19');
    expect(redrawn(text)).toBe(shown);
  });

  it('is the same in whatever pieces it comes', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'b', '\r', '\n', '\u001B[K', '\u001B[2K'), maxLength: 12 });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const bit = pieces.reduce((shown, next) => redrawn(shown + next), '');
        expect(bit).toBe(redrawn(pieces.join('')));
      }),
    );
  });

  it.each(['50%\r\u001B[Kdone', '50%\u001B[2K\rdone', 'done\u001B[K\n'])(
    '%j may come character by character',
    (text) => {
      const bit = [...text].reduce((shown, next) => redrawn(shown + next), '');
      expect(bit).toBe(redrawn(text));
    },
  );
});
