/** How things look: few attributes of the sixteen-colour set, and a sign beside every colour so that it is never alone. */
import type { Mode } from '../core/policy/modes.ts';

export type Paint = (text: string) => string;
export type Background = 'dark' | 'light';

export type Marks = {
  prompt: string;
  waiting: string;
  asks: string;
  done: string;
  failed: string;
  denied: string;
  current: string;
  thought: string;
  notice: string;
  warning: string;
  bullet: string;
  bar: string;
  edge: string;
  rule: string;
  filled: string;
  empty: string;
  ellipsis: string;
  separator: string;
  spinner: readonly string[];
};

export type Theme = {
  accent: Paint;
  dim: Paint;
  bold: Paint;
  italic: Paint;
  underline: Paint;
  strike: Paint;
  inverse: Paint;
  good: Paint;
  bad: Paint;
  warn: Paint;
  /** How loud a mode is: from plan (calm) to yolo (alarming). */
  modes: Readonly<Record<Mode, Paint>>;
  marks: Marks;
};

const UNICODE_MARKS: Marks = {
  prompt: '❯',
  waiting: '○',
  asks: '?',
  done: '✓',
  failed: '✗',
  denied: '⊘',
  current: '▸',
  thought: '∴',
  notice: '·',
  warning: '⚠',
  bullet: '•',
  bar: '│',
  edge: '┃',
  rule: '─',
  filled: '█',
  empty: '░',
  ellipsis: '…',
  separator: '·',
  spinner: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
};

const ASCII_MARKS: Marks = {
  prompt: '>',
  waiting: 'o',
  asks: '?',
  done: '+',
  failed: 'x',
  denied: '-',
  current: '>',
  thought: '*',
  notice: '-',
  warning: '!',
  bullet: '*',
  bar: '|',
  edge: '|',
  rule: '-',
  filled: '#',
  empty: '.',
  ellipsis: '...',
  separator: '-',
  spinner: ['|', '/', '-', '\\'],
};

/** A locale that says nothing is taken for UTF-8: that is what terminals are today. */
const speaksUnicode = (environment: Environment): boolean => {
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || '';
  return locale === '' || /utf-?8/i.test(locale) || environment['TMUX'] !== undefined;
};

export type Environment = Readonly<Record<string, string | undefined>>;

/** COLORFGBG is the only sign that comes without asking; the terminal's own answer to OSC 11 overrules it. */
export const backgroundOf = (environment: Environment): Background => {
  const last = environment['COLORFGBG']?.split(';').at(-1);
  return last !== undefined && (last === '7' || (Number(last) >= 9 && Number(last) <= 15)) ? 'light' : 'dark';
};

const plain: Paint = (text) => text;
const sgr =
  (on: string, off: string): Paint =>
  (text) =>
    text === '' ? '' : `\x1b[${on}m${text}\x1b[${off}m`;

export const createTheme = (environment: Environment, background: Background = backgroundOf(environment)): Theme => {
  const colour = !environment['NO_COLOR'];
  const paint = (on: string, off: string): Paint => (colour ? sgr(on, off) : plain);
  const accent = paint(background === 'light' ? '34' : '36', '39');
  const good = paint('32', '39');
  // Bold comes with red and yellow: on many palettes the plain ones are too faint to meet an eye in a hurry.
  const bad = colour ? sgr('1;31', '22;39') : sgr('1', '22');
  const warn = colour ? sgr(background === 'light' ? '1;35' : '1;33', '22;39') : sgr('1', '22');
  return {
    modes: { plan: accent, ask: sgr('1', '22'), edit: good, auto: warn, yolo: bad },
    accent,
    good,
    bad,
    warn,
    dim: sgr('2', '22'),
    bold: sgr('1', '22'),
    italic: sgr('3', '23'),
    underline: sgr('4', '24'),
    strike: sgr('9', '29'),
    inverse: sgr('7', '27'),
    marks: speaksUnicode(environment) ? UNICODE_MARKS : ASCII_MARKS,
  };
};

/** xterm, GNU screen and the Linux console cut long lines when they get narrower; nearly all others wrap them. */
export const terminalReflows = (environment: Environment): boolean => {
  const term = environment['TERM'] ?? '';
  if (environment['TMUX']) return true;
  return environment['XTERM_VERSION'] === undefined && term !== 'linux' && !term.startsWith('screen');
};
