import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import type { Progress } from '../../../core/events.ts';
import { type PrefillFacts, watchPrefill } from './prefill.ts';

type Prefill = Extract<Progress, { type: 'prefill' }>;

const start = (facts: PrefillFacts) => {
  let now = 0;
  let tick: (() => void) | undefined;
  const shown: Prefill[] = [];
  const watch = watchPrefill(facts, {
    clock: { now: () => now, monotonic: () => now },
    every: (_, work) => {
      tick = work;
      return () => {
        tick = undefined;
      };
    },
    progress: (update) => shown.push(update),
  });
  const at = (ms: number): void => {
    now = ms;
    tick?.();
  };
  const set = (ms: number): void => {
    now = ms;
  };
  return { watch, shown, at, ticks: () => tick !== undefined, set };
};

describe('reading a prompt', () => {
  it('is estimated by the speed that was learned, where the server says nothing', () => {
    verifies('B4');
    const { shown, at } = start({ tokens: 4_000, known: 1_000, tokensPerSecond: 100 });
    at(10_000);
    expect(shown).toEqual([
      { type: 'prefill', processed: 2_000, total: 4_000, cached: 1_000, seconds_left: 20, estimated: true },
    ]);
  });

  it('is never said to be done before the model speaks, and names no time when the estimate has run out', () => {
    const { shown, at } = start({ tokens: 1_000, known: 0, tokensPerSecond: 100 });
    at(60_000);
    expect(shown).toEqual([{ type: 'prefill', processed: 990, total: 1_000, estimated: true }]);
  });

  it('is not estimated where nothing was learned, or where it takes a moment only', () => {
    expect(start({ tokens: 9_000, known: 0 }).ticks()).toBe(false);
    expect(start({ tokens: 100, known: 0, tokensPerSecond: 1_000 }).ticks()).toBe(false);
    expect(start({ tokens: 9_000, known: 8_950, tokensPerSecond: 100 }).ticks()).toBe(false);
  });

  it('is told as the server tells it, with the time that is left by its own pace', () => {
    verifies('B4');
    const { watch, set, ticks } = start({ tokens: 900, known: 0, tokensPerSecond: 10 });
    set(1_000);
    expect(watch.see({ type: 'prefill', processed: 100, total: 900, cached: 100 })).toMatchObject({ seconds_left: 80 });
    expect(ticks()).toBe(false);
    set(2_000);
    expect(watch.see({ type: 'prefill', processed: 300, total: 900 })).toEqual({
      type: 'prefill',
      processed: 300,
      total: 900,
      seconds_left: 3,
    });
    expect(watch.see({ type: 'prefill', processed: 900, total: 900 })).not.toHaveProperty('seconds_left');
  });

  it('is not estimated while the request waits for its turn', () => {
    verifies('B4');
    const { watch, shown, at, set } = start({ tokens: 1_000, known: 0, tokensPerSecond: 100 });
    watch.see({ type: 'loading', message: '2 requests come first', queue_position: 3 });
    at(5_000);
    expect(shown).toEqual([]);
    set(30_000);
    watch.see({ type: 'loading', message: 'asking', queue_position: 0 });
    at(31_000);
    expect(shown.at(-1)).toMatchObject({ processed: 100, seconds_left: 9 });
  });

  it('begins after the model was loaded, and ends with the first word', () => {
    const { watch, shown, at, set, ticks } = start({ tokens: 1_000, known: 0, tokensPerSecond: 100 });
    set(30_000);
    watch.see({ type: 'loading', message: 'loading' });
    at(31_000);
    expect(shown.at(-1)).toMatchObject({ processed: 100, seconds_left: 9 });
    expect(watch.see({ type: 'text_delta', delta: 'Hello' })).toEqual({ type: 'text_delta', delta: 'Hello' });
    expect(ticks()).toBe(false);
  });

  it('never goes backwards or past its end, whatever the figures', () => {
    const whole = fc.nat({ max: 100_000 });
    fc.assert(
      fc.property(
        whole,
        whole,
        fc.double({ min: 0.1, max: 1e5, noNaN: true }),
        fc.array(whole),
        (tokens, known, tokensPerSecond, times) => {
          const { shown, at } = start({ tokens, known, tokensPerSecond });
          for (const time of times.toSorted((one, other) => one - other)) at(time);
          for (const [index, { processed, total, seconds_left }] of shown.entries()) {
            expect(processed).toBeLessThanOrEqual(total);
            expect(processed).toBeGreaterThanOrEqual(shown[index - 1]?.processed ?? 0);
            if (seconds_left !== undefined) expect(seconds_left).toBeGreaterThan(0);
          }
        },
      ),
    );
  });
});
