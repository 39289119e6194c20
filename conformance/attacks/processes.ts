/** Processes of this system, by what they were started with. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { CannotRun } from './attack-case.ts';

/** How many have this in their command line, or in their environment. */
export const processesWith = (part: 'cmdline' | 'environ', fits: (text: string) => boolean): number => {
  if (!fs.existsSync('/proc/self/cmdline')) throw new CannotRun('there is no /proc to look for processes in');
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .filter((name) => {
      try {
        return fits(fs.readFileSync(`/proc/${name}/${part}`, 'utf8'));
      } catch {
        return false;
      }
    }).length;
};

/** Ends it by KILL. Resolves when it is gone, so that it writes into no folder that is removed meanwhile. */
export const killed = async (child: ChildProcess): Promise<void> => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
};
