/** Commands that change how the app looks. What is chosen is kept for the next start. */
import type { Look } from '../app/look.ts';
import { readStatusLine, STATUS_PARTS } from '../status-line.ts';
import { isThemeName, THEME_NAMES, THEMES } from '../theme.ts';
import { performCommand } from './perform.ts';
import type { SlashCommand, SlashHost } from './slash-command.ts';

const changeTheme = async (host: SlashHost, argument: string): Promise<void> => {
  const { look, options } = host;
  if (argument === '') {
    host.pick(
      THEME_NAMES.map((name) => ({ value: name, label: name, description: THEMES[name] })),
      look.name,
      {
        title: 'Choose the colours',
        hint: 'Enter takes it, Esc keeps the present one',
        take: (chosen) => void performCommand(host, THEME, chosen),
      },
    );
    return;
  }
  if (!isThemeName(argument)) throw new Error(`There is no theme ${argument}: ${THEME_NAMES.join(', ')}.`);
  look.choose(argument);
  host.redraw();
  await options.keepSetting?.('theme', argument);
  const off = argument === 'plain' ? undefined : look.withoutColours;
  host.notice('quiet', `Theme: ${argument}, ${THEMES[argument]}.${off ? ` It is kept, but ${off}.` : ''}`);
};

const shownStatus = ({ status = STATUS_PARTS }: Look): string =>
  `The status line shows: ${status.length === 0 ? 'none' : status.join(', ')}.`;

const changeStatusLine = async (host: SlashHost, argument: string): Promise<void> => {
  const { look, options } = host;
  if (argument === '') {
    host.notice('quiet', `${shownStatus(look)} There are: ${STATUS_PARTS.join(', ')}; none; default.`);
    return;
  }
  const read = argument === 'default' ? undefined : readStatusLine(argument);
  if (read?.ok === false) throw new Error(read.message);
  look.status = read?.parts;
  host.redraw();
  await options.keepSetting?.('status_line', read && (read.parts.join(',') || 'none'));
  host.notice('quiet', shownStatus(look));
};

const THEME: SlashCommand = {
  name: 'theme',
  description: 'choose the colours',
  argument: THEME_NAMES.join('|'),
  words: THEME_NAMES,
  complete: () => THEME_NAMES.map((name) => ({ value: name, description: THEMES[name] })),
  perform: changeTheme,
};

const STATUS_WORDS: readonly string[] = [...STATUS_PARTS, 'none', 'default'];

export const LOOK_COMMANDS: readonly SlashCommand[] = [
  THEME,
  {
    name: 'status-line',
    description: 'what the line at the bottom shows',
    argument: 'parts|none|default',
    words: STATUS_WORDS,
    complete: () => STATUS_WORDS.map((value) => ({ value })),
    perform: changeStatusLine,
  },
];
