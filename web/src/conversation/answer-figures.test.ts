import { expect, it } from 'vitest';
import { answerFigures, answerRate, reusedShare } from './answer-figures.ts';

const usage = (completion_tokens: number, seconds: number) => ({ prompt_tokens: 9, completion_tokens, seconds });

it('tells what an answer took, and no tokens of one that no model wrote', () => {
  expect(answerFigures(usage(214, 2.14))).toBe('214 tokens · 2.1 s');
  expect(answerFigures(usage(1, 0.05))).toBe('1 token · 50 ms');
  expect(answerFigures(usage(0, 0.294))).toBe('294 ms');
  expect(answerRate(usage(214, 2.14))).toBe('100 tok/s');
  expect(answerRate(usage(3, 2))).toBe('1.5 tok/s');
  // Too short to say anything, or nothing that has a pace.
  expect(answerRate(usage(9, 0.1))).toBeUndefined();
  expect(answerRate(usage(0, 0.294))).toBeUndefined();
});

it('tells what was reused only where the server told it', () => {
  expect(reusedShare({ ...usage(1, 1), cached_tokens: 3 })).toBeCloseTo(1 / 3);
  expect(reusedShare({ ...usage(1, 1), cached_tokens: 0 })).toBe(0);
  expect(reusedShare({ ...usage(1, 1), shared_tokens: 8 })).toBeUndefined();
  expect(reusedShare({ prompt_tokens: 0, completion_tokens: 1, seconds: 1, cached_tokens: 0 })).toBeUndefined();
});
