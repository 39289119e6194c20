import { expect, test } from 'vitest';
import { deniesFile, type FilePlaces } from './denied-files.ts';

const placesOf = (folds: boolean): FilePlaces => ({
  of: (text) => [{ name: text, absolute: text === '.' ? '/W' : `/W/${text}` }],
  foldsCase: () => folds,
});

test.each([
  ['secret/**', 'SECRET/x'],
  ['Secret/**', 'secret/x'],
  ['=secret/Key', 'secret/kEY'],
  ['**/*.pem', 'a/B.PEM'],
  ['caf\u00e9/*', 'CAFE\u0301/x'],
])('%s denies %s where the disk folds case, and there alone', (pattern, file) => {
  expect(deniesFile(pattern, file, placesOf(true))).toBe(true);
  expect(deniesFile(pattern, file, placesOf(false))).toBe(false);
});
