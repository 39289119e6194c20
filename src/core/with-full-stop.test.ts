import { expect, it } from 'vitest';
import { withFullStop } from './with-full-stop.ts';

it.each([
  ['fix the sum', 'fix the sum.'],
  ['How many files are in src/acp?', 'How many files are in src/acp?'],
  ['How many files are in src…', 'How many files are in src…'],
  ['ファイルはいくつ？', 'ファイルはいくつ？'],
  ['say "no!"', 'say "no!"'],
  ['see (a.ts)', 'see (a.ts).'],
])('%s → %s', (text, sentence) => {
  expect(withFullStop(text)).toBe(sentence);
});
