import { describe, expect, it } from 'vitest';
import { mention, mentionsIn } from './mention.ts';

const NAMES = [
  'a.md',
  'docs and notes/a file (1).md',
  'say "hi".md',
  '"quoted"',
  'back\\slash.md',
  'back \\ slash.md',
  'ends in a backslash \\',
  'two\\\\ \\"',
  'ends.',
  'ends)',
  'list[1]',
  '-rf',
  '@scope/x.ts',
  'me@home.md',
  'größe café.md',
  'cafe\u0301.md',
  '日本 語。',
  ' before and after ',
  'nbsp\u00a0here',
  "it's",
  '$HOME `x`',
];

describe('the name of a file in a message', () => {
  it.each(NAMES)('is read back as it was completed: %j', (name) => {
    expect(mentionsIn(mention(name))).toEqual([name]);
    expect(mentionsIn(`Look at ${mention(name)} and ${mention('other one.md')} now.`)).toEqual([name, 'other one.md']);
  });

  it('stands without quotes where it needs none', () => {
    expect(['src/a.ts', '-rf', 'back\\slash.md'].map(mention)).toEqual(['@src/a.ts', '@-rf', '@back\\slash.md']);
  });
});
