/** How a child process is confined on this system (L11). */
import os from 'node:os';
import { bubblewrapCommand, type Confined } from './bubblewrap.ts';
import type { SandboxState } from './detect.ts';
import type { SandboxPolicy } from './policy.ts';
import { seatbeltCommand } from './seatbelt.ts';

export { type DetectOptions, detectSandbox, type SandboxState } from './detect.ts';
export { protectedPaths, type SandboxPolicy, secretPaths } from './policy.ts';

export type { Confined };

/**
 * The command that runs `command` confined; itself where there is no sandbox. `release` is called when it has ended, or
 * could not be started. The program must be an absolute path, and the environment that the result is started with must
 * hold no secret: inside it can be read in /proc/1/environ.
 */
export const wrapCommand = (state: SandboxState, command: readonly string[], policy: SandboxPolicy): Confined => {
  switch (state.kind) {
    case 'bubblewrap':
      return bubblewrapCommand(state.program, command, policy);
    case 'seatbelt':
      return { command: seatbeltCommand(state.program, command, policy, os.tmpdir()), release: () => {} };
    case 'none':
      return { command: [...command], release: () => {} };
  }
};
