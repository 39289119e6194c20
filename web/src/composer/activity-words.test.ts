import { describe, expect, it } from 'vitest';
import { EMPTY_VIEW, type View } from '../state/view.ts';
import { activityWords, prefillShare, secondsLeft, writingRate } from './activity-words.ts';

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

  it('says how fast is written, after a moment', () => {
    const writing = { type: 'writing', since: 0, characters: 400 } as const;
    expect(writingRate(writing, 500)).toBeUndefined();
    expect(writingRate(writing, 2_000)).toBe(50);
  });
});
