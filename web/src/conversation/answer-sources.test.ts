import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { answerSources } from './answer-sources.ts';

it.each([
  { used: ['edit_file'], text: 'Changed.', shown: [] },
  { used: ['get_file_tree', 'add_task', 'update_task'], text: 'Three tasks.', shown: [] },
  { used: ['web_search', 'write_file'], text: 'Found and written.', shown: ['web_search'] },
  { used: ['get_file_tree', 'edit_file'], text: 'There are files [source:get_file_tree].', shown: ['get_file_tree'] },
  { used: ['get_file_tree'], text: 'See [sources: web_fetch, nothing].', shown: [] },
])('of $used under "$text" shows $shown', ({ used, text, shown }) => {
  verifies('E9');
  expect(answerSources(used, text)).toEqual(shown);
});
