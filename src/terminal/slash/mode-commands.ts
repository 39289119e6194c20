/** How often the person is asked. */
import { isMode, MODE_WORDS, MODES, type Mode, SHORT_MODE_WORDS } from '../../core/policy/modes.ts';
import { sharedWords } from './shared-commands.ts';
import type { SlashCommand, SlashHost } from './slash-command.ts';

export const MODE_ITEMS = MODES.map((mode) => ({
  value: mode,
  label: mode,
  description: MODE_WORDS[mode],
  brief: SHORT_MODE_WORDS[mode],
}));

const take = async (host: SlashHost, mode: Mode): Promise<void> => {
  const before = host.mode();
  if (mode === before) return host.notice('quiet', `Mode ${mode} is in use already.`);
  // Of yolo the app tells, however it came.
  if ((await host.changeMode(mode)) && mode !== 'yolo')
    host.notice('quiet', `Mode ${mode}: ${MODE_WORDS[mode]}. /mode ${before} goes back.`);
};

const changeMode = async (host: SlashHost, argument: string): Promise<void> => {
  if (isMode(argument)) return take(host, argument);
  if (argument !== '') return host.notice('warning', `There is no mode ${argument}: ${MODES.join(', ')}.`);
  host.pick(MODE_ITEMS, host.mode(), {
    title: 'Choose a mode',
    hint: 'Enter takes it, Esc keeps the present one; Shift+Tab goes through them, past yolo',
    take: (chosen) => void (isMode(chosen) && take(host, chosen)),
  });
};

export const MODE_COMMANDS: readonly SlashCommand[] = [
  {
    ...sharedWords('mode'),
    complete: () => MODES.map((mode) => ({ value: mode, description: MODE_WORDS[mode] })),
    perform: changeMode,
  },
];
