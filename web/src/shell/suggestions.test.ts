import { expect, it } from 'vitest';
import { suggestionsFor } from './suggestions.ts';

const LARGE = 'openai/qwen3-32b';

it('suggests three things, from what is in the folder', () => {
  expect(suggestionsFor(['deep/er/README.md', 'README.md', 'src/main.py', 'tests/test_main.py'], LARGE)).toEqual([
    'Summarise README.md in three sentences',
    'Explain what src/main.py does',
    'What do the tests in tests/test_main.py check?',
  ]);
  expect(suggestionsFor([], LARGE)).toHaveLength(3);
  expect(suggestionsFor([], LARGE).join()).not.toMatch(/here/);
});

it('suggests what every model can answer as long as it is not known which one will', () => {
  const paths = ['src/main.py', 'README.md'];
  expect(suggestionsFor(paths, undefined)).toEqual(suggestionsFor(paths, 'embedded/starter'));
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
