import { describe, expect, it } from 'vitest';
import { withContext } from './short-diff.ts';

const DIFF = `--- a/x.ts
+++ b/x.ts
@@ -1,12 +1,13 @@ class A
 one
 two
-three
+THREE
+more
 four

 six
 seven
 eight
 nine
-ten
 eleven
 twelve
\\ No newline at end of file
`;

describe('a diff with less round its changes', () => {
  it('keeps every change, and says where each part stands', () => {
    expect(withContext(DIFF, 1).split('\n')).toEqual([
      '--- a/x.ts',
      '+++ b/x.ts',
      '@@ -2,3 +2,4 @@ class A',
      ' two',
      '-three',
      '+THREE',
      '+more',
      ' four',
      '@@ -9,3 +10,2 @@ class A',
      ' nine',
      '-ten',
      ' eleven',
    ]);
    const bare = withContext(DIFF, 0).split('\n');
    expect(bare.filter((line) => /^[-+]/.test(line))).toEqual(DIFF.split('\n').filter((line) => /^[-+]/.test(line)));
    expect(bare).not.toContain(' four');
  });

  it('leaves alone what is no diff of one file', () => {
    expect(withContext('words', 0)).toBe('words');
    expect(withContext(`${DIFF}${DIFF}`, 0)).toBe(`${DIFF}${DIFF}`);
  });
});
