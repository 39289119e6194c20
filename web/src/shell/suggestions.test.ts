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

it('suggests to the starter what it can answer: what is here, what a file says, what a tool tells', () => {
  for (const model of ['embedded/starter', 'embedded/SmolLM2-135M-Instruct-Q4_K_M.gguf']) {
    expect(suggestionsFor(['src/main.py', 'README.md'], model)).toEqual([
      'What files are in this folder?',
      'Read README.md',
      'How many lines does README.md have?',
    ]);
  }
  expect(suggestionsFor([], 'embedded/starter').join()).not.toMatch(/Explain|Plan|Write/);
});
