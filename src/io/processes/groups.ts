/** The groups of processes that have somebody in them: running commands, and daemons that a finished command left behind. */
import { randomUUID } from 'node:crypto';
import { IO_LIMITS } from '../limits.ts';
import { createProcessGuard, type ProcessGuard } from './guard.ts';
import { isGroupAlive, killTree } from './tree.ts';

/** The variable of a child's environment by which it and its children are found, wherever they went. */
export const MARK = 'HALTER_CHILD';

export type ProcessGroups = {
  /** A mark that no other child has; the guard watches from now on. */
  nextMark(): string;
  enter(group: number, mark: string): void;
  leaveEmpty(): void;
  /** Ends every group, and the guard. What starts afterwards is watched again. */
  close(): void;
};

export const createProcessGroups = (registerExit: (cleanup: () => void) => void = registerAtExit): ProcessGroups => {
  // A guard that was let go of still looks for its mark for a moment; what starts after that must carry another one.
  let instance = randomUUID();
  const makeGuard = (): ProcessGuard | undefined =>
    // On Windows there are neither groups nor /bin/sh; children end with their own kill there.
    process.platform === 'win32'
      ? undefined
      : createProcessGuard({ mark: `${MARK}=${instance}-`, killGraceMs: IO_LIMITS.processKillGraceMs });
  let guard = makeGuard();
  const groups = new Map<number, string>();
  let counter = 0;
  let exitRegistered = false;

  const close = (): void => {
    for (const [group, mark] of groups) killTree(group, mark);
    groups.clear();
    guard?.close();
    instance = randomUUID();
    guard = makeGuard();
  };

  return {
    nextMark() {
      counter += 1;
      guard?.start();
      return `${MARK}=${instance}-${counter}`;
    },
    enter(group, mark) {
      groups.set(group, mark);
      guard?.add(group);
      if (exitRegistered) return;
      exitRegistered = true;
      registerExit(close);
    },
    leaveEmpty() {
      for (const group of groups.keys()) {
        if (isGroupAlive(group)) continue;
        groups.delete(group);
        guard?.remove(group);
      }
    },
    close,
  };
};

const atExit = new Set<() => void>();
/** One listener for however many ports a program opens. */
const registerAtExit = (cleanup: () => void): void => {
  if (atExit.size === 0) {
    process.once('exit', () => {
      for (const each of atExit) each();
    });
  }
  atExit.add(cleanup);
};
