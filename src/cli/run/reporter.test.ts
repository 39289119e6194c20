import { afterEach, expect, it, vi } from 'vitest';
import { fakeIo } from '../../../tests/support/fake-io.ts';
import { createReporter } from './reporter.ts';

afterEach(() => {
  vi.useRealTimers();
});

it.each([
  ['before the session is there', [], 'start'],
  ['before the first word of the model', [{ type: 'session' }, { type: 'model_start' }], 'model'],
  ['while a tool runs', [{ type: 'session' }, { type: 'tool_call', id: 'a' }], 'tool'],
  [
    'while a person is asked',
    [{ type: 'session' }, { type: 'tool_call', id: 'a' }, { type: 'permission_request' }],
    'permission',
  ],
  [
    'when the tool is done',
    [{ type: 'session' }, { type: 'tool_call', id: 'a' }, { type: 'tool_result', id: 'a' }],
    'model',
  ],
])('says at least every ten seconds that a run goes on, %s', async (_what, said, waitsFor) => {
  vi.useFakeTimers();
  const io = fakeIo();
  const reporter = createReporter({ format: 'stream-json' }, io);
  const work = Promise.withResolvers<void>();
  const begun = Date.now();
  for (const line of said) reporter.line({ ...line, at: begun });
  const over = reporter.aliveUntil(work.promise);
  await vi.advanceTimersByTimeAsync(60_000);
  const times = io
    .out()
    .trim()
    .split('\n')
    .slice(said.length)
    .map((line) => {
      const { at, ...waiting } = JSON.parse(line) as { at: number; seconds: number };
      expect(waiting).toEqual({ type: 'waiting', for: waitsFor, seconds: Math.round((at - begun) / 1000) });
      return at;
    });
  const gaps = [begun, ...times].slice(0, -1).map((at, index) => (times[index] as number) - at);
  expect(times.length).toBeGreaterThanOrEqual(6);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(10_000);
  work.resolve();
  await over;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(io.out().trim().split('\n')).toHaveLength(said.length + times.length);
});
