import { expect, it } from 'vitest';
import type { Mode } from '../core/policy/modes.ts';
import { resumeText as whole } from './resume-text.ts';

const HEADING = 'To go on with this conversation:';
/** Without its heading, in a wide window. */
const resumeText = (...[id, flags, mode]: Parameters<typeof whole>): string =>
  whole(id, flags, mode).replace(`${HEADING} `, '');

const PLAIN = { last: 'ask', plain: 'ask' } as const;

it('names the server and the model that flags named, so that the next start asks the same', () => {
  expect(resumeText('abc', {}, PLAIN)).toBe('halter --session abc (or halter -c)');
  expect(resumeText('abc', { 'base-url': 'http://127.0.0.1:8080/v1', model: 'qwen3:8b' }, PLAIN)).toBe(
    'halter --session abc --base-url http://127.0.0.1:8080/v1 --model qwen3:8b',
  );
  expect(resumeText('abc', { directory: "a folder's" }, PLAIN)).toBe(
    "halter --session abc --directory 'a folder'\\''s'",
  );
});

it('names the mode where a plain start gives another one, and never offers yolo', () => {
  const text = (last: Mode, plain: Mode): string => resumeText('abc', {}, { last, plain });
  expect(text('plan', 'ask')).toBe('halter --session abc --mode plan');
  expect(text('ask', 'auto')).toBe('halter --session abc --mode ask');
  expect(text('auto', 'auto')).toBe('halter --session abc (or halter -c)');
  expect(text('ask', 'yolo')).toBe('halter --session abc --mode ask');
  expect(text('yolo', 'edit')).toBe(
    'halter --session abc (or halter -c)\nIt begins in the mode edit again, not in yolo.',
  );
});

it.each([20, 40, 60, 100])('breaks no word in a window of %i columns, and is still one command', (columns) => {
  const id = '01jdp0a8q1xyz';
  const flags = { 'base-url': 'http://[::1]:80/v1', model: 'qwen3:8b' };
  for (const each of [{}, flags]) {
    const text = whole(id, each, PLAIN, columns);
    const wide = whole(id, each, PLAIN);
    expect(text.replaceAll(' \\\n', ' ').replaceAll('\n', ' ')).toBe(wide);
    const parts = wide.split(/ (?=--|\()/).map((part) => part.length);
    const longest = Math.max(HEADING.length, ...parts.slice(1)) + 2;
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(Math.max(columns, longest));
  }
});
