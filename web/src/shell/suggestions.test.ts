import { expect, it } from 'vitest';
import { suggestionsFor } from './suggestions.ts';

it('suggests three things, from what is in the folder', () => {
  expect(suggestionsFor(['deep/er/README.md', 'README.md', 'src/main.py', 'tests/test_main.py'])).toEqual([
    'Summarise README.md in three sentences',
    'Explain what src/main.py does',
    'What do the tests in tests/test_main.py check?',
  ]);
  expect(suggestionsFor([])).toHaveLength(3);
  expect(suggestionsFor([]).join()).not.toMatch(/here/);
});
