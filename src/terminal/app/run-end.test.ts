import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SessionFace, SessionUpdate } from '../../core/events.ts';
import { TERMINAL_LIMITS } from '../limits.ts';
import { Activity } from './activity.ts';
import { runEnd } from './run-end.ts';

const answered: SessionUpdate = {
  type: 'assistant_message_added',
  seq: 2,
  at: 1,
  message: { role: 'assistant', content: 'Done.', tool_calls: [], finish: 'stop' },
};
const started: SessionUpdate = { type: 'model_started', model: 'm', iteration: 1 };
const over: SessionUpdate = { type: 'run_completed', seq: 3, at: 1, sources: [] };
const text = (delta: string): SessionUpdate => ({ type: 'text_delta', delta });

const waiting = (before: readonly SessionUpdate[]) => {
  const activity = new Activity();
  const listeners = new Set<(update: SessionUpdate) => void>([(update) => activity.apply(update, 0)]);
  const say = (update: SessionUpdate): void => {
    for (const listener of [...listeners]) listener(update);
  };
  for (const update of before) say(update);
  const session = {
    idle: async () => {},
    subscribe: (listener: (update: SessionUpdate) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as SessionFace;
  let isOver = false;
  void runEnd(session, () => activity).then(() => {
    isOver = true;
  });
  return { say, activity, listeners, isOver: () => isOver };
};

describe('the end of a run that a command waits for', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const turns = () => vi.advanceTimersByTimeAsync(0);

  it.each([
    ['while it writes', [text('Done.')], [text('\n'), answered, over]],
    ['when the answer is whole', [text('Done.'), answered], [over]],
    ['where the answer came at once', [started, answered], [over]],
  ])('comes %s', async (_, before, then) => {
    const { say, isOver, listeners } = waiting(before);
    for (const update of then) {
      await turns();
      expect(isOver()).toBe(false);
      say(update);
    }
    await turns();
    expect(isOver()).toBe(true);
    expect(listeners.size).toBe(1);
  });

  it.each([
    ['more text', text(' And more.')],
    ['thoughts', { type: 'reasoning_delta', delta: 'hm' } as SessionUpdate],
    ['a call', { type: 'tool_call_delta', index: 0, arguments_delta: '{' } as SessionUpdate],
    ['another message', { type: 'user_message_added', seq: 3, at: 1, content: 'and?' } as SessionUpdate],
  ])('is not waited for any longer where %s comes', async (_, more) => {
    const { say, isOver, activity } = waiting([text('Done.')]);
    await turns();
    say(more);
    await turns();
    expect([isOver(), activity.isRunning]).toEqual([true, true]);
  });

  it.each([
    ['waits for the model', started],
    ['thinks', { type: 'reasoning_delta', delta: 'hm' } as SessionUpdate],
    ['runs a tool', { type: 'tool_started', seq: 3, at: 1, tool_call_id: 'c' } as SessionUpdate],
  ])('is not waited for where the run %s', async (_, now) => {
    const { isOver } = waiting([now]);
    await turns();
    expect(isOver()).toBe(true);
  });

  it('is waited for so long and no longer', async () => {
    const { isOver } = waiting([text('Done.')]);
    await vi.advanceTimersByTimeAsync(TERMINAL_LIMITS.runEndMs - 1);
    expect(isOver()).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isOver()).toBe(true);
  });
});
