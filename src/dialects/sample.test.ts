import { expect, it } from 'vitest';
import { isSample } from './sample.ts';

it.each([
  ['I refuse to make this call:', true],
  ['In a script you would write:\n```python\n', true],
  ['The user pasted:\n```json', true],
  ["I know what you would write. Sure! Here's the call:", false],
  ['The user asked me to write the file:\n```json', false],
  ['The next step would be to read the file:', false],
])('a call behind %j is a sample: %s', (words, expected) => {
  expect(isSample(words)).toBe(expected);
});
