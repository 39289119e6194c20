import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AGENT_LIMITS } from '../limits.ts';
import { AnnouncedChanges } from './announced-changes.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('has tools read at once, and a flood of announcements now and then, the last of them too', () => {
  const read: string[] = [];
  const changes = new AnnouncedChanges((server) => read.push(server));
  changes.announce('a');
  expect(read).toEqual(['a']);
  for (let at = 0; at < 1_000; at += 1) {
    changes.announce('a');
    vi.advanceTimersByTime(1);
  }
  changes.announce('a');
  vi.advanceTimersByTime(AGENT_LIMITS.mcpChangesPauseMs);
  expect(read.length).toBeLessThanOrEqual(2 + Math.ceil(1_000 / AGENT_LIMITS.mcpChangesPauseMs));
  expect(read.length).toBeGreaterThan(1);
});

it('reads nothing more when nothing was announced, nor when it is closed', () => {
  const read: string[] = [];
  const changes = new AnnouncedChanges((server) => read.push(server));
  changes.announce('a');
  changes.announce('b');
  vi.advanceTimersByTime(10_000);
  expect(read).toEqual(['a', 'b']);
  changes.announce('a');
  changes.announce('a');
  changes.close();
  vi.advanceTimersByTime(10_000);
  expect(read).toEqual(['a', 'b', 'a']);
});
