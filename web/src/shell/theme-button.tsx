import { useState } from 'react';
import { Icon, type IconName } from '../parts/icons.tsx';
import { inBrowser } from '../state/browser-store.ts';

export type Theme = 'auto' | 'light' | 'dark';
export const THEMES: readonly Theme[] = ['auto', 'light', 'dark'];
const KEY = 'halter theme';
const NEXT: Readonly<Record<Theme, Theme>> = { auto: 'light', light: 'dark', dark: 'auto' };
const ICONS: Readonly<Record<Theme, IconName>> = { auto: 'auto', light: 'sun', dark: 'moon' };
export const THEME_WORDS: Readonly<Record<Theme, string>> = { auto: 'as the system', light: 'light', dark: 'dark' };

export const keptTheme = (): Theme => {
  const theme = inBrowser.get(KEY);
  return theme === 'light' || theme === 'dark' ? theme : 'auto';
};

export const keepTheme = (theme: Theme): boolean => inBrowser.set(KEY, theme);

export const applyTheme = (theme: Theme = keptTheme()): void => {
  if (theme === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
};

export const ThemeButton = () => {
  const [theme, setTheme] = useState(keptTheme);
  const change = (): void => {
    const next = NEXT[theme];
    keepTheme(next);
    applyTheme(next);
    setTheme(next);
  };
  const label = `Colours: ${THEME_WORDS[theme]}`;
  return (
    <button type="button" className="icon-button" onClick={change} aria-label={label} title={label}>
      <Icon name={ICONS[theme]} />
    </button>
  );
};
