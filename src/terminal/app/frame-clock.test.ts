import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { TERMINAL_LIMITS } from '../limits.ts';
import { FrameClock } from './frame-clock.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('draws on when the clock of the system was set back', () => {
  verifies('U1');
  let now = 10_000_000;
  let frames = 0;
  const clock = new FrameClock(
    () => now,
    () => {
      frames += 1;
    },
  );
  clock.request();
  vi.advanceTimersByTime(TERMINAL_LIMITS.frameMs);
  expect(frames).toBe(1);
  now -= 3_600_000;
  clock.request();
  vi.advanceTimersByTime(TERMINAL_LIMITS.frameMs);
  expect(frames).toBe(2);
  clock.stop();
});

it('draws nothing until the window keeps its size, and then once', () => {
  verifies('Z19');
  let frames = 0;
  const clock = new FrameClock(Date.now, () => {
    frames += 1;
  });
  clock.request();
  for (let resizes = 0; resizes < 5; resizes += 1) {
    clock.requestAfterResize();
    vi.advanceTimersByTime(TERMINAL_LIMITS.resizeQuietMs / 2);
    clock.request();
    clock.requestForKey();
  }
  vi.advanceTimersByTime(TERMINAL_LIMITS.resizeQuietMs / 2 - 1);
  expect(frames).toBe(0);
  vi.advanceTimersByTime(1);
  expect(frames).toBe(1);
  clock.stop();
});
