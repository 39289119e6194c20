import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { openUnsent } from './unsent-file.ts';

/** Windows of one person; each is open until it is closed or killed. */
const desk = () => {
  const data = scratchFolder();
  const alive = new Set<number>();
  const open = (pid: number, workspace = '/work') => {
    alive.add(pid);
    return openUnsent(data, workspace, { pid, isAlive: (each) => alive.has(each) });
  };
  /** The order of what was kept, which the clock of the disk is too coarse to tell. */
  const age = (): void => {
    for (const name of readdirSync(join(data, 'unsent'))) utimesSync(join(data, 'unsent', name), 1, 1);
  };
  return { open, age, kill: (pid: number) => alive.delete(pid) };
};

describe('what was typed before the first message', () => {
  it('is kept for each window by itself', () => {
    const { open, kill } = desk();
    const [one, two] = [open(1), open(2)];
    one.keep(undefined, 'in the first');
    two.keep(undefined, 'in the second');
    // Both are still being typed into.
    expect(open(3).read(undefined)).toBeUndefined();
    kill(1);
    expect(open(4).read(undefined)).toBe('in the first');
    kill(2);
    expect(open(5).read(undefined)).toBe('in the second');
    expect(open(6).read(undefined)).toBeUndefined();
  });

  it('comes back once each, the newest first, where several windows were killed or closed', () => {
    const { open, age, kill } = desk();
    open(1).keep(undefined, 'killed');
    kill(1);
    age();
    open(2).keep(undefined, 'closed', true);
    expect(open(3, '/elsewhere').read(undefined)).toBeUndefined();
    expect(open(4).read(undefined)).toBe('closed');
    expect(open(5).read(undefined)).toBe('killed');
    kill(4);
    expect(open(6).read(undefined)).toBe('closed');
  });

  it('is gone when it was sent, and a session has its own', () => {
    const { open, kill } = desk();
    const one = open(1);
    one.keep(undefined, 'a draft');
    one.keep('session', 'in the session');
    one.keep(undefined, '');
    kill(1);
    expect(open(2).read(undefined)).toBeUndefined();
    expect(open(2).read('session')).toBe('in the session');
  });
});
