import fc from 'fast-check';
import { expect, it } from 'vitest';
import { snippetOf } from './snippet.ts';

const FILLER = 'A quiet line of other words.\n'.repeat(100);

it.each([
  ['a sentence', 'The brass key hangs here.', 'Where is the brass key?'],
  ['a text without blanks', '黄铜钥匙放在第七个抽屉里。', '黄铜钥匙在哪里'],
])('shows the part in which most of what was asked for stands: %s', (_what, fact, query) => {
  const shown = snippetOf(`${FILLER}${fact}\n${FILLER}`, query, 500);
  expect(shown).toContain(fact);
  expect(shown.length).toBeLessThanOrEqual(502);
  expect(shown).toMatch(/^….*…$/s);
});

it('shows a text that fits as it is, and of a longer one a part of it', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), fc.string({ maxLength: 20 }), (text, query) => {
      const shown = snippetOf(text, query, 30);
      expect(shown.length).toBeLessThanOrEqual(32);
      if (text.length <= 30) expect(shown).toBe(text);
    }),
  );
});

it.each([60, 120, 200, 400])('shows the words in %i characters wherever they stand in a long sentence', (most) => {
  const long = 'quiet words of another thing that nobody asked for '.repeat(30);
  for (const before of [0, 1, 7, 30].map((count) => long.slice(0, count * 51)))
    expect(
      snippetOf(`${before}the brass key hangs in drawer seven ${long}`, 'Where is the brass key?', most),
    ).toContain('the brass key hangs in drawer seven');
});
