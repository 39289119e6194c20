import { expect, it } from 'vitest';
import { widthOf } from '../text.ts';
import { createTheme } from '../theme.ts';
import { ThoughtItem } from './items.ts';

const theme = createTheme({ TERM: 'dumb' });
const shown = (text: string, width: number, now: number): string => {
  const thought = new ThoughtItem(0);
  thought.push(text);
  return thought.live({ width, theme, now, frame: 0 }).join('\n');
};

it.each([39, 99, 199])('shows the seconds and the newest words of its last line in %i columns', (width) => {
  const line = `First this. ${'and then that '.repeat(40)}until the newest words`;
  for (const text of [line, `An older line.\n${line}`, `${line}\n\n`]) {
    const out = shown(text, width, 3_000);
    expect(out).toContain('Thinking for 3.0 s');
    expect(out.endsWith('newest words')).toBe(true);
    expect(widthOf(out)).toBeLessThanOrEqual(width);
  }
  expect(shown('Older.\nShort.', width, 0)).toBe('∴ Thinking · Short.');
});
