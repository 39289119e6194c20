import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { answerSources } from './answer-sources.ts';

it.each([
  { used: ['edit_file'], sources: [], text: 'Changed.', shown: [] },
  { used: ['web_search', 'write_file'], sources: ['web_search'], text: 'Found and written.', shown: ['web_search'] },
  {
    used: ['get_file_tree', 'edit_file'],
    sources: [],
    text: 'There are files [source:get_file_tree].',
    shown: ['get_file_tree'],
  },
  { used: ['get_file_tree'], sources: [], text: 'See [sources: web_fetch, nothing].', shown: [] },
])('of $used, of which $sources are named, under "$text" shows $shown', ({ used, sources, text, shown }) => {
  verifies('E9');
  expect(answerSources({ used, sources }, text)).toEqual(shown);
});
