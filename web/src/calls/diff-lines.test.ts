import { describe, expect, it } from 'vitest';
import { withoutNames } from './diff-lines.ts';

const HUNK = '@@ -0,0 +1,1 @@\n+one\n';

describe('a change whose file is named above it', () => {
  for (const [what, head] of [
    ['a changed file', '--- a/src/x.ts\n+++ b/src/x.ts\n'],
    ['a changed file without prefixes', '--- x.ts\n+++ x.ts\n'],
    ['a new file', '--- /dev/null\n+++ b/src/x.ts\n'],
    ['a removed file', '--- a/src/x.ts\n+++ /dev/null\n'],
  ] as const) {
    it(`begins with what changes: ${what}`, () => {
      expect(withoutNames(`${head}${HUNK}`)).toBe(HUNK);
    });
  }

  for (const [what, diff] of [
    ['the second name is another', `--- a/x.ts\n+++ b/y.ts\n${HUNK}`],
    ['a file of the folder is called so', `--- a/dev/null\n+++ b/y.ts\n${HUNK}`],
    ['a file outside of the folder is called so', `--- a//dev/null\n+++ b/y.ts\n${HUNK}`],
    ['there is one name only', `--- a/x.ts\n${HUNK}`],
    ['they are lines of the file', `@@ -1,1 +1,1 @@\n--- a/x.ts\n+++ b/x.ts\n`],
    ['there is no diff', 'too much changes to show'],
  ] as const) {
    it(`keeps its lines where ${what}`, () => {
      expect(withoutNames(diff)).toBe(diff);
    });
  }
});
