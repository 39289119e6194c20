/** Sessions of one program that learn the window of the same model, each from its own answers. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import type { LearnedWindow } from '../../../core/learned-window.ts';
import { KnownWindows } from './known-windows.ts';

const MODEL = 'm';
const CUT = { tokens: 1_200, is_cut: true, cut_from: 1_500, tries_after: 3, tries_wait: 3 } as const;

/** Two sessions, opened when a small window had been learned. */
const opened = (told: number | undefined, before: LearnedWindow) => {
  const kept = new Map<string, LearnedWindow>([[MODEL, { ...before, ...(told === undefined ? {} : { told }) }]]);
  const open = () =>
    new KnownWindows({
      provider: { describe: () => Promise.reject(new Error('nobody asks')) },
      model: MODEL,
      contextTokens: before.tokens,
      told: { told },
      isLearned: true,
      learned: (model) => kept.get(model),
      onLearned: (model, learned) => void (learned ? kept.set(model, learned) : kept.delete(model)),
    });
  return { kept, one: open(), other: open() };
};
const { signal } = new AbortController();

describe('a window that another session found to be larger', () => {
  for (const told of [undefined, 8_192])
    it.each<[string, (other: KnownWindows) => unknown]>([
      ['asks what it knows', (other) => other.of(MODEL, signal)],
      ['would make room', (other) => other.tries(MODEL, 1_300)],
      ['tried in vain', (other) => other.triedInVain(MODEL)],
    ])(`is no longer the window of one that %s (told: ${told})`, async (_what, act) => {
      verifies('B7');
      const { kept, one, other } = opened(told, CUT);
      expect(other.get(MODEL)).toBe(1_200);
      one.grow(MODEL, 9_000);
      expect(kept.get(MODEL)).toBeUndefined();
      await act(other);
      expect([kept.get(MODEL), other.get(MODEL), other.isUncertain(MODEL)]).toEqual([undefined, told, false]);
    });

  it('stays what it is where the other session learned more of the same', async () => {
    verifies('B7');
    const { kept, one, other } = opened(8_192, CUT);
    one.learn(MODEL, 1_000, 1_500);
    await other.of(MODEL, signal);
    expect([kept.get(MODEL)?.tokens, other.get(MODEL)]).toEqual([1_000, 1_200]);
  });

  it('stays what was learned where nothing is kept', async () => {
    verifies('B7');
    const windows = new KnownWindows({
      provider: { describe: () => Promise.reject(new Error('nobody asks')) },
      model: MODEL,
      contextTokens: 8_192,
      told: { told: 8_192 },
    });
    windows.learn(MODEL, 4_096, 6_000);
    expect([await windows.of(MODEL, signal), windows.get(MODEL)]).toEqual([4_096, 4_096]);
  });
});
