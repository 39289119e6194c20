import { describe, expect, it } from 'vitest';
import { bestMatches, foldersOf } from './matches.ts';
import { mention, tokenAt, withCompletion } from './token.ts';

/** `|` is the caret. */
const at = (text: string) => tokenAt(text.replace('|', ''), text.indexOf('|'));

describe('what is written at the caret', () => {
  it.each([
    ['/|', 'command', ''],
    ['/com|', 'command', 'com'],
    ['/com| more', 'command', 'com'],
    ['@|', 'file', ''],
    ['read @src/a| and', 'file', 'src/a'],
    ['read @"my no|', 'file', 'my no'],
    ['read @"a \\"b|', 'file', 'a "b'],
    ['line\n@b|', 'file', 'b'],
    ['/mode pl|', 'argument', 'pl'],
    ['/review @a|', 'file', 'a'],
  ])('%s is a %s', (text, kind, query) => {
    expect(at(text)).toMatchObject({ kind, query });
  });

  it.each(['/etc/ho|', 'a /com|', 'me@host|', 'some words|', 'a @b c|', '@"a" b|'])(
    '%s is nothing to complete',
    (text) => {
      expect(at(text)).toBeUndefined();
    },
  );

  it('is replaced by what is chosen, and what stands behind it stays', () => {
    const token = at('read @src/a| now');
    expect(token && withCompletion('read @src/a now', token, mention('src/app.ts'))).toEqual({
      text: 'read @src/app.ts now',
      caret: 17,
    });
    const quoted = at('read @"my| notes');
    expect(quoted && withCompletion('read @"my notes', quoted, mention('my notes.md')).text).toBe(
      'read @"my notes.md" notes',
    );
  });
});

describe('the files that are meant', () => {
  const PATHS = ['README.md', 'src/app.ts', 'src/parts/app-menu.tsx', 'tests/app.test.ts', 'web/map.css'];

  it('are those whose name begins so, then those that hold it, then those that hold its letters', () => {
    expect(bestMatches(PATHS, 'app', 10)).toEqual(['src/app.ts', 'tests/app.test.ts', 'src/parts/app-menu.tsx']);
    expect(bestMatches(PATHS, 'sat', 10)).toEqual(['src/app.ts', 'src/parts/app-menu.tsx', 'tests/app.test.ts']);
    expect(bestMatches(PATHS, 'READ', 10)).toEqual(['README.md']);
    expect(bestMatches(PATHS, '', 2)).toEqual(PATHS.slice(0, 2));
    expect(bestMatches(PATHS, 'zzz', 10)).toEqual([]);
  });

  it('come with their folders', () => {
    expect(foldersOf(PATHS)).toEqual(['src/', 'tests/', 'web/', 'src/parts/']);
  });

  it('are found at once among very many', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => `packages/part-${index % 50}/src/file-${index}.ts`);
    expect(bestMatches(many, 'file-4999', 8)[0]).toBe('packages/part-49/src/file-4999.ts');
  });
});
