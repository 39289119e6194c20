import { expect, it } from 'vitest';
import { linesOf } from './lines.ts';
import { nearestPaths } from './nearest-path.ts';
import { nearestRegion } from './nearest-region.ts';

const known = ['README.md', 'src/main.ts', 'src/tools/read-file.ts', 'src/tools/write-file.ts', 'docs/index.md'];

it.each([
  ['main.ts', ['src/main.ts']],
  ['src/tools/red-file.ts', ['src/tools/read-file.ts']],
  ['readme.md', ['README.md']],
  ['src/main.js', ['src/main.ts']],
  ['something/else.py', []],
])('%s → %j', (wanted, expected) => {
  expect(nearestPaths(wanted, known).slice(0, Math.max(1, expected.length))).toEqual(expected);
});

const file = linesOf(
  'import a\n\nfunction add(a, b) {\n  return a + b;\n}\n\nfunction sub(a, b) {\n  return a - b;\n}\n',
);

it('shows the lines that come nearest to a text that is not there', () => {
  expect(nearestRegion(file, 'function sub(a, b) {\n  return a -- b;\n}')).toContain('7: function sub(a, b) {');
  expect(nearestRegion(file, 'functoin ad(a, b)')).toContain('3: function add(a, b) {');
});

it('says why where the difference is white space or line numbers', () => {
  expect(nearestRegion(file, 'function add(a, b) {\n\treturn a + b;\n}')).toContain('only in white space');
  expect(nearestRegion(file, '3: function add(a, b) {\n4:   return a + b;')).toContain('line numbers');
});

it('finds nothing in a file that has nothing like it', () => {
  expect(nearestRegion(linesOf('abc\n'), 'zzz qqq')).toContain('Nothing in it comes near');
});
