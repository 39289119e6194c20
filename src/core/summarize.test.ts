import { expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { shownSources, summarizeResult } from './summarize.ts';
import { failedResult } from './tool-result.ts';

const printed = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n');

it.each([
  { what: 'an error that its runner named', why: 'late failed: no disk', data: null, told: 'no disk' },
  { what: 'an error that names it as it likes', why: 'no disk for late', data: null, told: 'no disk for late' },
  { what: 'a command with what it printed', why: 'exit code 2', data: 'bad\n', told: 'exit code 2 | bad' },
  { what: 'the end of a long one', why: 'Cancelled.', data: printed(9), told: 'Cancelled. | line 7 | line 8 | line 9' },
  { what: 'an answer that stands in the reason too', why: 'HTTP 404: gone', data: 'gone', told: 'HTTP 404: gone' },
  { what: 'a command that printed nothing', why: 'exit code 2', data: '\n', told: 'exit code 2' },
])('says once which tool failed, why, and what there was of it: $what', ({ why, data, told }) => {
  verifies('E7');
  expect(summarizeResult('late', { ...failedResult(why, 'io_error'), data })).toBe(`[late] failed: ${told}`);
});

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
