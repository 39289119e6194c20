import { describe, expect, it } from 'vitest';
import { type CallView, EMPTY_VIEW, type Item, type View } from '../state/view.ts';
import { activityWords, prefillShare, secondsLeft, waitedSeconds, writingRate } from './activity-words.ts';

const doing = (activity: View['activity'], over: Partial<View> = {}): View => ({
  ...EMPTY_VIEW,
  running: true,
  activity,
  ...over,
});

describe('what is going on', () => {
  it('is called by its name', () => {
    expect(activityWords(doing({ type: 'sent' }))).toBe('Waiting for the model');
    expect(activityWords(doing({ type: 'loading', message: 'Loading qwen' }))).toBe('Loading qwen');
    expect(activityWords(doing({ type: 'thinking', since: 0 }))).toBe('Thinking');
    expect(activityWords(doing({ type: 'asking' }))).toBe('Waiting for you');
    expect(activityWords(EMPTY_VIEW)).toBe('');
  });

  it('says how long a prefill still takes, once its pace is known', () => {
    const prefill = { type: 'prefill', processed: 600, total: 1_000, since: 0, from: 200 } as const;
    expect(prefillShare(prefill)).toBe(0.6);
    expect(secondsLeft(prefill, 500)).toBeUndefined();
    expect(secondsLeft(prefill, 2_000)).toBe(2);
    expect(secondsLeft({ ...prefill, processed: 200 }, 2_000)).toBeUndefined();
    expect(secondsLeft({ ...prefill, secondsLeft: 7 }, 2_000)).toBe(7);
    expect(prefillShare({ ...prefill, total: 0 })).toBeUndefined();
  });

  it('says how long a model that is silent, and a call that runs, are waited for', () => {
    const waited = (activity: View['activity'], now: number) => waitedSeconds(doing(activity), now);
    expect(waited({ type: 'sent', at: 10_000 }, 11_500)).toBeUndefined();
    expect(waited({ type: 'sent', at: 10_000 }, 52_900)).toBe(42);
    expect(waited({ type: 'loading', message: 'Loading qwen', at: 10_000 }, 52_900)).toBe(42);
    // How far it is says more.
    expect(waited({ type: 'loading', message: 'Loading qwen', at: 10_000, fraction: 0.5 }, 52_900)).toBeUndefined();
    // Nobody knows since when, or the clocks differ.
    expect(waited({ type: 'sent' }, 52_900)).toBeUndefined();
    expect(waited({ type: 'sent', at: 60_000 }, 52_900)).toBeUndefined();
    expect(waited({ type: 'asking' }, 52_900)).toBeUndefined();
    const running = (startedAt: number, state: CallView['state']): Item => ({
      kind: 'call',
      key: `c${startedAt}`,
      seq: 1,
      call: {
        id: `c${startedAt}`,
        name: 'bash',
        arguments: {},
        source: 'native',
        repairs: [],
        output: '',
        state,
        startedAt,
      },
    });
    const items = [running(5_000, 'done'), running(20_000, 'running'), running(30_000, 'running')];
    expect(waitedSeconds(doing({ type: 'tools' }, { items }), 52_900)).toBe(32);
  });

  it('says how fast is written, after a moment', () => {
    const writing = { type: 'writing', since: 0, characters: 400 } as const;
    expect(writingRate(writing, 500)).toBeUndefined();
    expect(writingRate(writing, 2_000)).toBe(50);
  });
});
