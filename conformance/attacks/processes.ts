/** Processes of this system, by what they were started with. */
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
