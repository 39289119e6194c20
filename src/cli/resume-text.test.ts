import { expect, it } from 'vitest';
import { resumeText } from './resume-text.ts';

it('names the server and the model that flags named, so that the next start asks the same', () => {
  expect(resumeText('abc', {})).toBe('halter --session abc (or halter -c)');
  expect(resumeText('abc', { 'base-url': 'http://127.0.0.1:8080/v1', model: 'qwen3:8b' })).toBe(
    'halter --session abc --base-url http://127.0.0.1:8080/v1 --model qwen3:8b',
  );
  expect(resumeText('abc', { directory: "a folder's" })).toBe("halter --session abc --directory 'a folder'\\''s'");
});
