/** How a child process is confined on this system (L11). */
import os from 'node:os';
import { bubblewrapCommand } from './bubblewrap.ts';
import type { SandboxState } from './detect.ts';
import { startCommand } from './layer.ts';
import type { SandboxPolicy } from './policy.ts';
import { seatbeltCommand } from './seatbelt.ts';

export { type DetectOptions, detectSandbox, type SandboxState } from './detect.ts';
export { partsInForce, type SandboxPart } from './in-force.ts';
export { protectedPaths, type SandboxPolicy, secretPaths, settingsWithKeys } from './policy.ts';
export { SandboxShortage } from './shortage.ts';

/**
 * The command that runs `command` confined; itself where there is no sandbox. The program must be an absolute path, and
 * the environment that the result is started with must hold no secret: inside it can be read in /proc/1/environ.
 * `filter`: a file with the filter of system calls; none where absent. `kept`: a descriptor that stays open.
 */
export const wrapCommand = (
  state: SandboxState,
  command: readonly string[],
  policy: SandboxPolicy,
  { filter, kept }: { filter?: string; kept?: number } = {},
): string[] => {
  switch (state.kind) {
    case 'bubblewrap': {
      const { nestedUsers, start } = state;
      const filtered = start !== undefined && filter !== undefined;
      const { layers = [], sockets = [] } = policy;
      // Bubblewrap itself would fail over a socket that goes away in that moment.
      const own = start === undefined ? sockets : [];
      const inner = bubblewrapCommand(state.program, command, { ...policy, sockets: own, filtered, nestedUsers });
      return start === undefined ? inner : startCommand(start, { layers, sockets, filter, kept }, inner);
    }
    case 'seatbelt':
      return seatbeltCommand(state.program, command, policy, os.tmpdir());
    case 'none':
      return [...command];
  }
};
