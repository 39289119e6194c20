/** Prompts that people often want to send, by a name. A prompt of one's own under the same name takes their place. */
import type { CustomCommand } from '../core/custom-command.ts';

export const BUILT_IN_PROMPTS: readonly CustomCommand[] = [
  {
    name: 'review',
    description: 'have the uncommitted changes reviewed',
    from: 'halter',
    template:
      'Review the uncommitted changes in this folder. Run `git status` and `git diff`, read what you need around the changes, and say what is wrong or risky, with file and line. Change nothing.',
  },
  {
    name: 'init',
    description: 'have an AGENTS.md written for this folder',
    from: 'halter',
    template:
      'Look at this folder: its files, its build and test commands, its conventions. Then write AGENTS.md for agents that work here: what the project is, how to build and test it, what to keep to. Keep what an AGENTS.md that is there already says. At most 40 lines.',
  },
];
