/** Texts of many kinds with the counts of real tokenizers: none of them is below the least, and none is taken for a cut. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { TEXT_KINDS, type TextKind } from '../../../tests/support/text-kinds.ts';
import recorded from '../../../tests/support/token-counts.json' with { type: 'json' };
import type { ModelMessage } from '../message.ts';
import { createPromptMeter } from '../window.ts';
import { leastTokensOf } from './least-tokens.ts';
import { estimateTokens } from './tokens.ts';

const KINDS = Object.keys(TEXT_KINDS) as TextKind[];
const TOKENIZERS = Object.entries(recorded.counts) as [string, Record<TextKind, number>][];
const MESSAGES = Object.fromEntries(
  KINDS.map((kind): [string, ModelMessage] => [kind, { role: 'user', content: TEXT_KINDS[kind]() }]),
) as Record<TextKind, ModelMessage>;
const usage = (prompt_tokens: number) => ({ prompt_tokens, completion_tokens: 5, seconds: 1 });

it.each(KINDS)('of %s no tokenizer makes fewer tokens than the least', (kind) => {
  verifies('B7');
  const least = leastTokensOf(TEXT_KINDS[kind]());
  for (const [tokenizer, counts] of TOKENIZERS) expect(least, tokenizer).toBeLessThanOrEqual(counts[kind]);
});

it('is near what is counted for ordinary text, so that what is cut shows', () => {
  for (const kind of ['english', 'prose'] satisfies TextKind[])
    expect(leastTokensOf(TEXT_KINDS[kind]())).toBeGreaterThan(recorded.counts.o200k_base[kind] * 0.9);
});

describe.each(TOKENIZERS)('prompts that a server with the tokenizer %s has read whole', (_tokenizer, counts) => {
  it.each(KINDS)('are not taken for cut: %s', (kind) => {
    verifies('B7');
    const alone = createPromptMeter([]);
    expect(alone.counted('m', [MESSAGES[kind]], usage(counts[kind]))).toBe(false);
    // After ordinary text, and several of them in a row.
    const meter = createPromptMeter([]);
    const messages = [MESSAGES.prose];
    let read = counts.prose;
    expect(meter.counted('m', messages, usage(read))).toBe(false);
    for (let at = 0; at < 4; at += 1) {
      messages.push(MESSAGES[kind]);
      read += counts[kind];
      expect(meter.counted('m', messages, usage(read)), `number ${at + 1}`).toBe(false);
    }
  });
});

it.each(TOKENIZERS)('what %s makes of rules does not make later prompts seem small', (_tokenizer, counts) => {
  const meter = createPromptMeter([]);
  const messages = [MESSAGES.prose, MESSAGES.ruled_log];
  meter.counted('m', messages, usage(counts.prose + counts.ruled_log));
  messages.push(MESSAGES.prose);
  const real = counts.prose * 2 + counts.ruled_log;
  expect(meter.size('m', messages).tokens).toBeGreaterThan(real * 0.85);
});

it.each(TOKENIZERS)(
  'prompts of ordinary text that were cut show at once with %s, whatever the text before',
  (_t, counts) => {
    verifies('B7');
    for (const before of ['prose', 'ruled_log', 'padded_table'] satisfies TextKind[]) {
      const meter = createPromptMeter([]);
      const messages = [MESSAGES[before]];
      expect(meter.counted('m', messages, usage(counts[before]))).toBe(false);
      for (let at = 0; at < 6; at += 1) messages.push(MESSAGES.prose);
      expect(meter.counted('m', messages, usage(counts[before] + counts.prose))).toBe(true);
    }
  },
);

it('estimates a rule as no more than twice what most tokenizers make of it', () => {
  for (const kind of ['ruled_log', 'rules_equals', 'rules_dashes', 'rules_long'] satisfies TextKind[])
    expect(estimateTokens(TEXT_KINDS[kind]())).toBeLessThan(recorded.counts.llama_2[kind] * 2);
});
