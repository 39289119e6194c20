import { expect, it } from 'vitest';
import { shownSources } from './summarize.ts';

it.each([
  [['read_file'], ['read_file']],
  [['ls', 'grep_search', 'read_file'], ['read_file']],
  [
    ['web_fetch', 'read_file'],
    ['web_fetch', 'read_file'],
  ],
  // An answer on work that was done has no sources in the files that it was done on.
  [['read_file', 'edit_file'], []],
  [['read_file', 'bash'], []],
  [['read_file', 'mcp__tracker__close'], []],
  [['web_search', 'read_file', 'write_file'], ['web_search']],
  [['rag_search', 'bash'], ['rag_search']],
  [['system_stats'], []],
  [[], []],
])('of %j a person would cite %j', (used, cited) => {
  expect(shownSources(used)).toEqual(cited);
});
