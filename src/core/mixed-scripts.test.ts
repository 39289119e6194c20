import { expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { mixedScriptsIn } from './mixed-scripts.ts';

it('names words that mix letters which look alike, and none that do not', () => {
  verifies('H7');
  expect(mixedScriptsIn('\u0430dmin/notes.txt')).toEqual(['\u0430dmin (\u0430 is Cyrillic, U+0430)']);
  expect(mixedScriptsIn('src/\u03bfpen.ts')).toEqual(['\u03bfpen (\u03bf is Greek, U+03BF)']);
  expect(mixedScriptsIn('p\u0430yp\u0430l p\u0430yp\u0430l')).toEqual([
    'p\u0430yp\u0430l (\u0430 is Cyrillic, U+0430)',
  ]);
  expect(mixedScriptsIn('\u0440\u03bf')).toHaveLength(1);
  const plain = 'src/main.ts naïve über документ.txt αβγ-name 東京tower/日本語.md שלום مرحبا file_имя.txt 한국어abc';
  expect(mixedScriptsIn(plain)).toEqual([]);
  expect(mixedScriptsIn(Array.from({ length: 50 }, (_, at) => `${'a'.repeat(at + 1)}\u0430`).join(' '))).toHaveLength(
    5,
  );
});
