import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { shownFile } from './shown-file.ts';

describe('a command that shows one file', () => {
  it.each([
    ['cat src/a.ts', 'src/a.ts'],
    ['cat -n src/a.ts', 'src/a.ts'],
    ["cat 'my notes.txt'", 'my notes.txt'],
    ['head -40 a.ts', 'a.ts'],
    ['head -n 40 a.ts', 'a.ts'],
    ['head --lines=40 a.ts', 'a.ts'],
    ['tail -n +5 a.ts', 'a.ts'],
    ['tail -c 100 a.ts', 'a.ts'],
    ['nl -ba a.ts', 'a.ts'],
    ['nl -b a a.ts', 'a.ts'],
    ["sed -n '1,200p' a.ts", 'a.ts'],
    ["sed -n '20,$p' a.ts", 'a.ts'],
    ["sed -n -e '1,20p' -e 30p a.ts", 'a.ts'],
    ['cat a.ts 2>/dev/null', 'a.ts'],
    ['cat a.ts | head -n 20', 'a.ts'],
    ["nl -ba a.ts | sed -n '20,40p'", 'a.ts'],
  ])('%s', (line, file) => {
    verifies('B7');
    expect(shownFile(line)).toBe(file);
  });

  it.each([
    'cat',
    'cat a.ts b.ts',
    'cat a.ts > b.ts',
    'cat a.ts && rm b.ts',
    'cat *.ts',
    'cat $FILE',
    'head -n 40',
    "sed -i 's/a/b/' a.ts",
    "sed -n 's/a/b/w c.ts' a.ts",
    "sed 's/a/b/' a.ts",
    "sed -n '1e rm b' a.ts",
    'cat a.ts | sh',
    'cat a.ts | head b.ts',
    'grep -rn cat src',
    'npm test',
    '',
  ])('is not: %s', (line) => {
    expect(shownFile(line)).toBeUndefined();
  });
});
