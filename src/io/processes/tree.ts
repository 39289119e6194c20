/** Finds and ends everything that a child started, also what left its process group. */
import { readdirSync, readFileSync } from 'node:fs';
import { IO_LIMITS } from '../limits.ts';

/** Sends a signal; false where there is nobody (any more) to send it to. */
const send = (target: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    process.kill(target, signal);
    return true;
  } catch (error) {
    // EPERM says that there is somebody, of another user (sudo, setuid).
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

export const isGroupAlive = (group: number): boolean => send(-group, 0);

type Entry = { pid: number; parent: number; group: number; marked: boolean };

const readEntry = (pid: number, mark: string): Entry | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may hold anything, blanks and parentheses too.
    const [, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { pid, parent: Number(parent), group: Number(group), marked: isMarked(pid, mark) };
  } catch {
    return undefined;
  }
};
const isMarked = (pid: number, mark: string): boolean => {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${mark}\0`);
  } catch {
    return false;
  }
};

/**
 * Processes that carry the mark, belong to the group or descend from one that does, where the system has /proc.
 * The mark finds daemons whose parent is gone; the descent finds those that were started with an empty environment.
 */
const findMembers = (group: number, mark: string): number[] => {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return [];
  }
  const entries: Entry[] = [];
  for (const name of names) {
    if (!/^[0-9]+$/.test(name)) continue;
    const entry = readEntry(Number(name), mark);
    if (entry && entry.pid !== process.pid) entries.push(entry);
  }
  const members = new Set(entries.filter((entry) => entry.marked || entry.group === group).map((entry) => entry.pid));
  for (let grew = members.size > 0; grew; ) {
    grew = false;
    for (const entry of entries) {
      if (!members.has(entry.pid) && members.has(entry.parent)) {
        members.add(entry.pid);
        grew = true;
      }
    }
  }
  return [...members];
};

/** Signals the whole group and whatever left it. */
export const signalTree = (group: number, mark: string, signal: NodeJS.Signals): void => {
  const members = process.platform === 'linux' ? findMembers(group, mark) : [];
  send(-group, signal);
  for (const pid of members) send(pid, signal);
};

/** KILL until a scan finds nobody new: a process may start another one between a scan and its end. */
export const killTree = (group: number, mark: string): void => {
  const seen = new Set<number>();
  for (let round = 0; round < IO_LIMITS.processKillRounds; round += 1) {
    const members = process.platform === 'linux' ? findMembers(group, mark) : [];
    send(-group, 'SIGKILL');
    let fresh = false;
    for (const pid of members) {
      send(pid, 'SIGKILL');
      if (!seen.has(pid)) fresh = true;
      seen.add(pid);
    }
    if (!fresh) return;
  }
};
