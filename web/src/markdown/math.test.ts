import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PLACE, takeFormulas } from './math.ts';

const texOf = (text: string): string[] => takeFormulas(text).formulas.map(({ tex }) => tex);

describe('mathematics in a text', () => {
  it.each([
    ['Area: \\(\\pi r^2\\).', ['\\pi r^2']],
    ['\\[a * b * c \\\\ d_1 * d_2\\]', ['a * b * c \\\\ d_1 * d_2']],
    [
      '$$\n\\begin{aligned} x &= 1 \\\\ y &= 2 \\end{aligned}\n$$',
      ['\n\\begin{aligned} x &= 1 \\\\ y &= 2 \\end{aligned}\n'],
    ],
    ['The sum $a_1 + a_2$ and $x$, $f(x)$ or $-1$.', ['a_1 + a_2', 'x', 'f(x)', '-1']],
    ['- item $E = mc^2$\n- other $n$', ['E = mc^2', 'n']],
  ])('is found in %j', (text, formulas) => expect(texOf(text)).toEqual(formulas));

  it.each([
    'It costs $5 and that $10.',
    'From $5-$10 to US$ 7.',
    'Set $HOME/bin:$PATH or echo "$A and $B".',
    'Code `$x$` and ``\\(y\\)`` stay.',
    '```sh\necho $a = $b\n```',
    'A path C:\\(x86) and \\$5 = $ 6.',
    'Not closed: \\(x and $$ y',
  ])('is not seen in %j', (text) => expect(texOf(text)).toEqual([]));

  it('gives back the text as it was written, whatever it holds', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('$', '\\', '(', ')', '[', ']', '`', 'a', ' ', '\n', '=', '_') }),
        (text) => {
          const { text: read, formulas } = takeFormulas(text);
          expect(read.replaceAll(PLACE, (_, index) => formulas[Number(index)]?.source ?? '')).toBe(text);
        },
      ),
    );
  });
});
