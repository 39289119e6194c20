import { afterEach, expect, it, vi } from 'vitest';
import { fakeIo } from '../../../tests/support/fake-io.ts';
import { createReporter } from './reporter.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('says at least every ten seconds that a run goes on, while a model is silent', async () => {
  vi.useFakeTimers();
  const io = fakeIo();
  const reporter = createReporter({ format: 'stream-json' }, io);
  const work = Promise.withResolvers<void>();
  const begun = Date.now();
  const over = reporter.aliveUntil(work.promise);
  await vi.advanceTimersByTimeAsync(60_000);
  const times = io
    .out()
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { at: number }).at);
  const gaps = [begun, ...times].slice(0, -1).map((at, index) => (times[index] as number) - at);
  expect(times.length).toBeGreaterThanOrEqual(6);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(10_000);
  work.resolve();
  await over;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(io.out().trim().split('\n')).toHaveLength(times.length);
});
