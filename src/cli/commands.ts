/** Every command of the command line, once: its words, its help and its flags. Its code is named in load-command.ts. */
import { CONVERSATION, type CommandSpec } from './command-spec.ts';
import { SESSION_COMMANDS } from './command-specs/sessions.ts';
import { SETUP_COMMANDS } from './command-specs/setup.ts';
import { WORK_COMMANDS } from './command-specs/work.ts';

export const TERMINAL_APP: CommandSpec = {
  name: '',
  summary: 'open the terminal app in a folder',
  usage: '[folder]',
  words: { min: 0, max: 1 },
  flags: [...CONVERSATION, 'screen-reader'],
};

/** In the order in which help lists them. */
export const COMMANDS: readonly CommandSpec[] = [...WORK_COMMANDS, ...SESSION_COMMANDS, ...SETUP_COMMANDS];

/** The first words: `run`, `tools` … */
export const GROUPS: readonly string[] = [...new Set(COMMANDS.map(({ name }) => name.split(' ')[0] as string))];
export const inGroup = (group: string): CommandSpec[] => COMMANDS.filter(({ name }) => name.split(' ')[0] === group);
