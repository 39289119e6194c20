/** How things look: few attributes of the sixteen-colour set, and a sign beside every colour so that it is never alone. */
import type { Mode } from '../core/policy/modes.ts';
import type { TokenKind } from './code/lexer.ts';

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
  /** Before what Enter takes in a list. */
  chosen: string;
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
  /** Between facts, with the spaces round it. */
  separator: string;
  /** Between a name and what stands beside it. */
  beside: string;
  /** Names stand in columns. */
  isAligned: boolean;
  /** Before the title of a question. */
  alarm: string;
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
  /** Colours for code; absent without colour. */
  code?: Readonly<Record<TokenKind, Paint>> | undefined;
  /** `isTinted`: they colour what is behind the letters, which keep the colours of the code. */
  diff: { added: Paint; removed: Paint; isTinted: boolean };
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
  chosen: '→',
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
  separator: ' · ',
  beside: '  ',
  isAligned: true,
  alarm: '⚠  ',
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
  chosen: '>',
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
  separator: ' - ',
  beside: '  ',
  isAligned: true,
  alarm: '!  ',
  spinner: ['|', '/', '-', '\\'],
};

/** A sign and what it stands before; where the sign is left out, so is its space. */
export const signed = (sign: string, text: string): string => (sign === '' ? text : `${sign} ${text}`);

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
type Attribute = (on: string, off: string) => Paint;
const sgr: Attribute = (on, off) => (text) => (text === '' ? '' : `\x1b[${on}m${text}\x1b[${off}m`);

/** What the person may choose; `auto` goes by what the terminal says of its background. */
export const THEMES = {
  auto: 'by the background of the terminal',
  dark: 'for a dark background',
  light: 'for a light background',
  contrast: 'bright colours, nothing dimmed',
  plain: 'no colours',
} as const;
export type ThemeName = keyof typeof THEMES;
export const THEME_NAMES = Object.keys(THEMES) as ThemeName[];
export const isThemeName = (name: string): name is ThemeName => Object.hasOwn(THEMES, name);

/** As terminals say it of themselves. */
const hasManyColours = ({ TERM = '', COLORTERM, WT_SESSION }: Environment): boolean =>
  Boolean(COLORTERM) || Boolean(WT_SESSION) || /256color|direct|kitty|ghostty|alacritty/.test(TERM);

const diffPaints = (environment: Environment, isLight: boolean): Theme['diff'] => {
  if (!hasManyColours(environment)) return { added: sgr('32', '39'), removed: sgr('31', '39'), isTinted: false };
  const [added, removed] = isLight ? ['194', '224'] : ['22', '52'];
  return { added: sgr(`48;5;${added}`, '49'), removed: sgr(`48;5;${removed}`, '49'), isTinted: true };
};

/** Green is left to what is added: on its tint it could not be read. */
const codePaints = (isLight: boolean, dim: Paint): Theme['code'] => ({
  keyword: sgr('35', '39'),
  string: sgr(isLight ? '32' : '33', '39'),
  number: sgr(isLight ? '34' : '36', '39'),
  name: sgr(isLight ? '34' : '36', '39'),
  comment: dim,
});

/** NO_COLOR as its convention has it; a terminal that calls itself dumb understands no colours. */
export const allowsColours = (environment: Environment): boolean =>
  !environment['NO_COLOR'] && environment['TERM'] !== 'dumb';

export const createTheme = (
  environment: Environment,
  background: Background = backgroundOf(environment),
  name: ThemeName = 'auto',
): Theme => {
  const colour = allowsColours(environment) && name !== 'plain';
  const attribute: Attribute = environment['TERM'] === 'dumb' ? () => plain : sgr;
  const isLight = name === 'light' || (name !== 'dark' && background === 'light');
  const dim = name === 'contrast' ? plain : attribute('2', '22');
  const bright = name === 'contrast' ? (code: string) => `1;${code}` : (code: string) => code;
  const paint = (on: string, off: string): Paint => (colour ? sgr(bright(on), off) : plain);
  const off = name === 'contrast' ? '22;39' : '39';
  const accent = paint(isLight ? '34' : '36', off);
  const good = paint('32', off);
  // Bold comes with red and yellow: on many palettes the plain ones are too faint to meet an eye in a hurry.
  const bad = colour ? sgr('1;31', '22;39') : attribute('1', '22');
  const warn = colour ? sgr(isLight ? '1;35' : '1;33', '22;39') : attribute('1', '22');
  return {
    modes: { plan: accent, ask: attribute('1', '22'), edit: good, auto: warn, yolo: bad },
    code: colour ? codePaints(isLight, dim) : undefined,
    diff: colour ? diffPaints(environment, isLight) : { added: plain, removed: plain, isTinted: false },
    accent,
    good,
    bad,
    warn,
    dim,
    bold: attribute('1', '22'),
    italic: attribute('3', '23'),
    underline: attribute('4', '24'),
    strike: attribute('9', '29'),
    inverse: attribute('7', '27'),
    marks: speaksUnicode(environment) ? UNICODE_MARKS : ASCII_MARKS,
  };
};

/** Words in place of signs, nothing that a screen reader would spell out. */
const SPOKEN_MARKS: Marks = {
  prompt: '>',
  waiting: 'waiting:',
  asks: 'asks:',
  done: 'done:',
  failed: 'failed:',
  denied: 'denied:',
  current: 'now:',
  chosen: 'chosen:',
  thought: '',
  notice: '',
  warning: 'Attention:',
  bullet: '-',
  bar: '',
  edge: '',
  rule: '-',
  filled: '',
  empty: '',
  ellipsis: '...',
  separator: ', ',
  beside: ', ',
  isAligned: false,
  alarm: 'Attention: ',
  spinner: [''],
};

/** For a screen reader: plain text and words. */
export const spokenTheme = (): Theme => ({
  modes: { plan: plain, ask: plain, edit: plain, auto: plain, yolo: plain },
  diff: { added: plain, removed: plain, isTinted: false },
  accent: plain,
  good: plain,
  bad: plain,
  warn: plain,
  dim: plain,
  bold: plain,
  italic: plain,
  underline: plain,
  strike: plain,
  inverse: plain,
  marks: SPOKEN_MARKS,
});

/** xterm, GNU screen and the Linux console cut long lines when they get narrower; nearly all others wrap them. */
export const terminalReflows = (environment: Environment): boolean => {
  const term = environment['TERM'] ?? '';
  if (environment['TMUX']) return true;
  return environment['XTERM_VERSION'] === undefined && term !== 'linux' && !term.startsWith('screen');
};
