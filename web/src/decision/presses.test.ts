import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { Presses } from './presses.ts';

type Press = readonly [name: string, at: number];
const tap = (at: number): Press[] => [
  ['pointerdown', at],
  ['pointerup', at + 60],
];
const held = (from: number, to: number): Press[] =>
  Array.from({ length: (to - from) / 30 }, (_, step) => ['keydown', from + step * 30] as const);

/** The question appears at 1,000. `free`: when a press counts, where nothing more comes. */
const ROWS: readonly [about: string, presses: readonly Press[], free: number][] = [
  ['nobody pressed anything', [], 1_300],
  ['the last press is long over', tap(0), 1_300],
  ['the press that answered the one before', tap(900), 1_660],
  ['taps that keep coming', [600, 1_000, 1_400, 1_800, 2_200].flatMap(tap), 2_960],
  ['taps at the pace of one that was taken, 620 ms', [380, 1_000, 1_620, 2_240].flatMap(tap), 3_000],
  ['a key that is held', held(100, 2_500), 3_170],
  ['a key and a tap by turns', [...tap(900), ['keydown', 1_300], ...tap(1_700)], 2_460],
  [
    'a finger that scrolls',
    [
      ['pointerdown', 990],
      ['pointercancel', 1_500],
    ],
    2_200,
  ],
];

describe('a question takes its first press', () => {
  for (const [about, presses, free] of ROWS)
    it(`at the right moment after ${about}`, () => {
      verifies('L8');
      const seen = new Presses();
      const taken: number[] = [];
      let armed = false;
      for (let now = 0; now <= free; now += 1) {
        // A press counts where nothing had to be waited for any more when it came.
        armed ||= now >= 1_000 && seen.restMs(1_000, now) === 0;
        for (const [name, at] of presses)
          if (at === now) {
            if (armed) taken.push(at);
            seen.note(name, at);
          }
        expect(armed && now < free, `${now}`).toBe(false);
      }
      expect([armed, taken]).toEqual([true, []]);
    });

  it('after a pointer that is down was let go', () => {
    verifies('L8');
    const seen = new Presses();
    seen.note('pointerdown', 900);
    expect(seen.restMs(1_000, 60_000)).toBeGreaterThan(0);
    seen.note('pointerup', 60_000);
    expect(seen.restMs(1_000, 60_000)).toBe(700);
    expect(seen.restMs(1_000, 60_700)).toBe(0);
  });
});
