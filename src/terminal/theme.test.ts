import { describe, expect, it } from 'vitest';
import { createTheme, THEME_NAMES, type Theme } from './theme.ts';

const painted = (theme: Theme): string => {
  const { marks: _, modes, code, diff, ...paints } = theme;
  const all = [
    ...Object.values(paints),
    ...Object.values(modes),
    ...Object.values(code ?? {}),
    diff.added,
    diff.removed,
  ];
  return all.map((paint) => paint('x')).join('');
};
const COLOUR = /\x1b\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])/;
const RICH = { COLORTERM: 'truecolor', TERM: 'xterm-256color' };

describe.each(THEME_NAMES)('the theme %s', (name) => {
  it('has no colour with NO_COLOR, and no escape at all on a dumb terminal', () => {
    expect(painted(createTheme({ ...RICH, NO_COLOR: '1' }, 'dark', name))).not.toMatch(COLOUR);
    expect(painted(createTheme({ ...RICH, TERM: 'dumb' }, 'dark', name))).not.toContain('\x1b');
  });

  it('has colours elsewhere, but for the plain one', () => {
    expect(COLOUR.test(painted(createTheme(RICH, 'dark', name)))).toBe(name !== 'plain');
    expect(COLOUR.test(painted(createTheme({ ...RICH, NO_COLOR: '' }, 'dark', name)))).toBe(name !== 'plain');
  });
});
