/** Commands that stand for a message that people often want to send, and the mode. */
import { isMode, MODE_WORDS, MODES } from '../../core/policy/modes.ts';
import { type SlashCommand, type SlashHost, send } from './slash-command.ts';

const REVIEW =
  'Review the uncommitted changes in this folder. Run `git status` and `git diff`, read what you need around the changes, and say what is wrong or risky, with file and line. Change nothing.';
const INIT =
  'Look at this folder: its files, its build and test commands, its conventions. Then write AGENTS.md for agents that work here: what the project is, how to build and test it, what to keep to. Keep what an AGENTS.md that is there already says. At most 40 lines.';

const say = async (host: SlashHost, text: string, more: string): Promise<void> => {
  if (host.activity().isRunning) return host.notice('warning', 'A run is going on. Esc stops it.');
  await host.send(more === '' ? text : `${text}\n\n${more}`);
};

const changeMode = async (host: SlashHost, argument: string): Promise<void> => {
  if (isMode(argument)) return send(host, { type: 'change_mode', mode: argument });
  if (argument !== '') return host.notice('warning', `There is no mode ${argument}: ${MODES.join(', ')}.`);
  host.pick(
    MODES.map((mode) => ({ value: mode, label: mode, description: MODE_WORDS[mode] })),
    host.mode(),
    {
      title: 'Choose a mode',
      hint: 'Enter takes it, Esc keeps the present one; Shift+Tab goes through them',
      take: (chosen) => void (isMode(chosen) && send(host, { type: 'change_mode', mode: chosen })),
    },
  );
};

export const WORK_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'mode',
    description: 'how often you are asked',
    argument: MODES.join('|'),
    complete: () => MODES.map((mode) => ({ value: mode, description: MODE_WORDS[mode] })),
    perform: changeMode,
  },
  {
    name: 'review',
    description: 'have the uncommitted changes reviewed',
    argument: 'what to look for',
    perform: (host, argument) => say(host, REVIEW, argument),
  },
  {
    name: 'init',
    description: 'have an AGENTS.md written for this folder',
    perform: (host, argument) => say(host, INIT, argument),
  },
];
