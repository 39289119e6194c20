import { readFileSync } from 'node:fs';

/** Whether a process runs. A zombie still takes signals; it is nothing that runs. */
export const isAlive = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
};
