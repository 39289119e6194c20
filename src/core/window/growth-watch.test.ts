import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { ModelMessage } from '../message.ts';
import { createPromptMeter } from '../window.ts';
import { createGrowthWatch, type SeenPrompt } from './growth-watch.ts';

/** A conversation of turns of this size; what the server counts of each prompt. */
const play = (
  counted: (size: number, at: number, added: number) => number,
  { head = 2_000, added = 60, turns = 120 }: { head?: number; added?: number; turns?: number } = {},
) => {
  const watch = createGrowthWatch();
  const seen: string[] = [];
  for (let at = 0; at < turns; at += 1) {
    const estimated = head + at * added;
    seen.push(
      watch.see({ estimated, least: estimated, read: Math.round(counted(estimated, at, added)), begins: true }),
    );
  }
  return { first: seen.indexOf('not'), seen };
};
const WINDOW = 4_096;
/** Drops whole messages from the front until the rest fits. */
const cutting =
  (dropped: (at: number) => number) =>
  (size: number, at: number): number =>
    size <= WINDOW ? size : WINDOW - dropped(at);

describe('a server that drops messages from the front and says nothing', () => {
  it.each([
    ['to exactly its window', () => 0],
    ['to a little less, differently each time', (at: number) => (at * 37) % 60],
    ['by pairs of messages', (at: number) => (at * 97) % 240],
    ['by half of the window at times', (at: number) => (at % 9 === 0 ? 1_500 : (at * 31) % 120)],
  ])('%s: is noticed within a few short messages', (_how, dropped) => {
    verifies('B7');
    for (const added of [30, 60, 120, 400]) {
      for (const ratio of [0.6, 1, 1.4]) {
        const server = cutting(dropped);
        const { first } = play((size, at) => server(size * ratio, at), { added, turns: 400 });
        const full = Math.ceil((WINDOW / ratio - 2_000) / added);
        expect(first, `${added} tokens a turn, ${ratio}`).toBeGreaterThanOrEqual(full - 1);
        expect(first, `${added} tokens a turn, ${ratio}`).toBeLessThanOrEqual(
          full + 4 + Math.ceil(480 / (added * ratio)),
        );
      }
    }
  });
});

describe('a server that reads all', () => {
  it.each([
    ['as estimated', (size: number) => size],
    ['with few tokens for what is new', (size: number) => 1_000 + size * 0.42],
    ['with many tokens for what is new', (size: number) => size * 3 - 3_000],
    ['with a share that goes up and down', (size: number, at: number) => size * (1 + ((at * 7) % 5) / 400)],
    ['counting only what is new', (size: number, at: number, added: number) => (at === 0 ? size : added * 1.1)],
    [
      'counting what is new, now and then all',
      (size: number, at: number, added: number) => (at % 10 === 0 ? size : added),
    ],
  ])('is not suspected: %s', (_how, counted) => {
    for (const added of [30, 120, 700]) expect(play(counted, { added }).first).toBe(-1);
  });

  it('and leaves out what the model thought in the turn before is not suspected', () => {
    const watch = createGrowthWatch();
    let estimated = 2_000;
    const seen: string[] = [];
    for (let turn = 0; turn < 40; turn += 1) {
      for (let round = 0; round < 4; round += 1) {
        const prompt: SeenPrompt = { estimated, least: estimated, read: estimated + round * 900, begins: round === 0 };
        seen.push(watch.see(prompt));
        estimated += 150;
      }
    }
    expect(seen).not.toContain('not');
  });
});

it('a count that no text of this length can have is of a cut prompt, also where nothing was counted before', () => {
  verifies('B7');
  const meter = createPromptMeter([]);
  const messages: ModelMessage[] = [
    { role: 'user', content: 'The quick brown fox jumps over the lazy dog. '.repeat(900) },
  ];
  const usage = (prompt_tokens: number) => ({ prompt_tokens, completion_tokens: 5, seconds: 1 });
  expect(meter.counted('a', messages, usage(8_300))).toBe(false);
  expect(meter.counted('b', messages, usage(3_950))).toBe(true);
  const wide: ModelMessage[] = [{ role: 'user', content: '狐は犬を飛び越える。'.repeat(900) }];
  expect(meter.counted('c', wide, usage(3_950))).toBe(false);
});
