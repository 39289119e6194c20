// The processes of a test run: those that have its folder in their environment, or work in it.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LONGEST_COMMAND = 200;

const read = (how: () => string): string => {
  try {
    return how();
  } catch {
    // It ended, or it is another user's.
    return '';
  }
};

/** Of all but this process, with the words they were started with. Empty where the system does not list processes. */
export const processesOf = (folder: string): { pid: number; command: string }[] =>
  read(() => readdirSync('/proc').join(' '))
    .split(' ')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => Number(pid) !== process.pid)
    .filter(
      (pid) =>
        read(() => readFileSync(`/proc/${pid}/environ`, 'utf8')).includes(folder) ||
        read(() => readlinkSync(`/proc/${pid}/cwd`)).startsWith(folder),
    )
    .map((pid) => ({
      pid: Number(pid),
      command: read(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
        .replaceAll('\0', ' ')
        .slice(0, LONGEST_COMMAND),
    }));
