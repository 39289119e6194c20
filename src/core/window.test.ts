import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import type { ModelMessage } from './message.ts';
import { answerReserve, createPromptMeter } from './window.ts';

const long: ModelMessage = { role: 'user', content: 'The quick brown fox jumps over the lazy dog. '.repeat(400) };
const usage = (prompt_tokens: number, cached_tokens?: number) => ({
  prompt_tokens,
  completion_tokens: 1,
  seconds: 1,
  ...(cached_tokens === undefined ? {} : { cached_tokens }),
});

describe('the meter of prompts', () => {
  it('is corrected by what the server counted, for each model of its own', () => {
    verifies('B7');
    const meter = createPromptMeter([]);
    const messages = [long];
    const first = meter.size('a', messages);
    expect(first.calibrated).toBe(false);
    expect(meter.counted('a', messages, usage(Math.round(first.tokens * 1.3)))).toBe(false);
    expect(meter.size('a', messages).tokens / first.tokens).toBeCloseTo(1.3, 1);
    expect(meter.size('b', messages)).toEqual(first);
    // The list grows in place, as that of a conversation does.
    messages.push(long);
    expect(meter.size('a', messages).tokens / first.tokens).toBeCloseTo(2.6, 1);
  });

  it('notices a prompt that was cut, and does not learn from it', () => {
    verifies('B7');
    const meter = createPromptMeter([]);
    const { tokens } = meter.size('m', [long]);
    expect(meter.counted('m', [long], usage(2_048))).toBe(true);
    expect(meter.size('m', [long]).tokens).toBe(tokens);
    // A server that tells its cached part apart has read everything.
    expect(meter.counted('m', [long], usage(600, tokens - 600))).toBe(false);
    // One that counts only what is new proves nothing.
    expect(meter.counted('m', [long], usage(12))).toBe(false);
    expect(meter.counted('m', [long], usage(Math.round(tokens * 0.9)))).toBe(false);
    expect(meter.counted('m', [long, long], usage(Math.round(tokens * 1.1)))).toBe(true);
  });

  it('keeps a quarter of a small window for the answer, and no more than 4,096 tokens of a large one', () => {
    expect([2_048, 8_192, 131_072].map(answerReserve)).toEqual([512, 2_048, 4_096]);
  });
});
