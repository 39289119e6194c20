import { useState } from 'react';
import { Icon, type IconName } from '../parts/icons.tsx';

type Theme = 'auto' | 'light' | 'dark';
const KEY = 'halter theme';
const NEXT: Readonly<Record<Theme, Theme>> = { auto: 'light', light: 'dark', dark: 'auto' };
const ICONS: Readonly<Record<Theme, IconName>> = { auto: 'auto', light: 'sun', dark: 'moon' };
const WORDS: Readonly<Record<Theme, string>> = { auto: 'as the system', light: 'light', dark: 'dark' };

const kept = (): Theme => {
  const theme = localStorage.getItem(KEY);
  return theme === 'light' || theme === 'dark' ? theme : 'auto';
};

export const applyTheme = (theme: Theme = kept()): void => {
  if (theme === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
};

export const ThemeButton = () => {
  const [theme, setTheme] = useState(kept);
  const change = (): void => {
    const next = NEXT[theme];
    localStorage.setItem(KEY, next);
    applyTheme(next);
    setTheme(next);
  };
  const label = `Colours: ${WORDS[theme]}`;
  return (
    <button type="button" className="icon-button" onClick={change} aria-label={label} title={label}>
      <Icon name={ICONS[theme]} />
    </button>
  );
};
