import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import type { Event, EventBody } from './events.ts';
import type { ModelMessage } from './message.ts';
import { answerReserve, contextUse, createPromptMeter, partsTogether, windowParts } from './window.ts';

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

describe('how much of the window a conversation takes', () => {
  const log = (...bodies: EventBody[]): Event[] =>
    bodies.map((body, index) => ({ ...body, seq: index + 1, at: 0 }) as Event);
  const answered = (prompt_tokens: number): EventBody => ({
    type: 'assistant_message_added',
    message: { role: 'assistant', content: 'ok', tool_calls: [], finish: 'stop', usage: usage(prompt_tokens) },
  });
  const compacted = (after_tokens?: number): EventBody => ({
    type: 'context_compacted',
    kept_from_seq: 1,
    summary: '',
    ...(after_tokens === undefined ? {} : { report: { before_tokens: 9, after_tokens, turns: 1, results: 0 } }),
  });

  it.each<[string, Event[], ReturnType<typeof contextUse>]>([
    ['nothing was counted', log(), undefined],
    ['by the last count', log(answered(10), answered(20)), { tokens: 21, isEstimated: false }],
    ['as was planned, where room was made since', log(answered(20), compacted(7)), { tokens: 7, isEstimated: true }],
    ['nobody knows, after one of an older halter', log(answered(20), compacted()), undefined],
    ['by the count since then', log(compacted(7), answered(20)), { tokens: 21, isEstimated: false }],
    [
      'of the way that the conversation goes on',
      log(answered(10), answered(20), { type: 'branch_selected', at_seq: 1, model: 'm' }),
      { tokens: 11, isEstimated: false },
    ],
  ])('%s', (_how, events, use) => {
    expect(contextUse(events)).toEqual(use);
  });
});

describe('what fills the window', () => {
  const tokensOf = (label: string, summary?: string): number | undefined =>
    windowParts([{ role: 'user', content: `${'It was said before. '.repeat(40)}\n\nAnd now?` }], [], summary).find(
      (part) => part.label === label,
    )?.tokens;

  it('counts what stands for the part that was left out apart from what the person said', () => {
    const all = tokensOf('your messages') ?? 0;
    expect(tokensOf('left out, in short')).toBeUndefined();
    const summary = 'It was said before. '.repeat(40);
    const short = tokensOf('left out, in short', summary) ?? 0;
    expect(short).toBeGreaterThan(all * 0.8);
    expect(short + (tokensOf('your messages', summary) ?? 0)).toBe(all);
    expect(tokensOf('left out, in short', 'Something else.')).toBe(0);
  });
});

describe('parts that are to agree with a sum', () => {
  it.each([
    [[10, 20, 30], 60],
    [[10, 20, 30], 77],
    [[1, 1, 1], 100],
    [[5, 0, 3], 4],
    [[7], 0],
  ])('%j are together %d', (tokens, sum) => {
    const parts = partsTogether(
      tokens.map((each) => ({ tokens: each })),
      sum,
    );
    expect(parts.reduce((all, part) => all + part.tokens, 0)).toBe(sum);
    for (const [index, part] of parts.entries()) {
      const exact = ((tokens[index] as number) * sum) / tokens.reduce((all, each) => all + each, 0);
      expect(Math.abs(part.tokens - exact)).toBeLessThanOrEqual(1);
    }
  });

  it('stay nothing where there is nothing', () => {
    expect(partsTogether([{ tokens: 0 }], 9)).toEqual([{ tokens: 0 }]);
  });
});
