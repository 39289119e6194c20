import { expect, it } from 'vitest';
import { widthOf } from '../text.ts';
import { createTheme, spokenTheme } from '../theme.ts';
import { noticeItem } from './items.ts';

const THEMES = { signs: createTheme({}), letters: createTheme({ LANG: 'C', NO_COLOR: '1' }), words: spokenTheme() };
const WORDS = Array.from({ length: 30 }, (_, at) => `word${at}`);

it.each(
  (['signs', 'letters', 'words'] as const).flatMap((theme) =>
    (['quiet', 'warning', 'error'] as const).flatMap((severity) =>
      [40, 80, 200].map((width) => [theme, severity, width] as const),
    ),
  ),
)('a notice keeps each of its words within the window: %s, %s, %i columns', (theme, severity, width) => {
  const lines = noticeItem(severity, WORDS.join(' ')).take({ width, theme: THEMES[theme], now: 0, frame: 0 });
  expect(lines.filter((line) => widthOf(line) > width)).toEqual([]);
  expect(lines.join(' ').match(/word\d+/g)).toEqual(WORDS);
});
