/** Servers count what came from their cache within the prompt or beside it: neither is taken for the other. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { everyNth, inTurn } from '../../../tests/support/long.ts';
import { TEXT_KINDS, type TextKind } from '../../../tests/support/text-kinds.ts';
import recorded from '../../../tests/support/token-counts.json' with { type: 'json' };
import type { ModelMessage } from '../message.ts';
import { createPromptMeter } from '../window.ts';

const KINDS = Object.keys(TEXT_KINDS) as TextKind[];
const TOKENIZERS = Object.entries(recorded.counts) as [string, Record<TextKind, number>][];
const MESSAGES = Object.fromEntries(
  KINDS.map((kind): [string, ModelMessage] => [kind, { role: 'user', content: TEXT_KINDS[kind]() }]),
) as Record<TextKind, ModelMessage>;
/** Of the prompt that goes out after room was made: so much of it stands at the same place as before. */
const SHARES = everyNth(
  Array.from({ length: 19 }, (_, at) => (at + 1) / 20),
  6,
);

type Counting = 'within' | 'beside';
const usageOf = (real: number, share: number, how: Counting) => {
  const cached_tokens = Math.round(real * share);
  const prompt_tokens = how === 'within' ? real : real - cached_tokens;
  return { prompt_tokens, cached_tokens, completion_tokens: 5, seconds: 1 };
};

/** A server whose counts are all of whole prompts, beside one that tells nothing of its cache. */
const server = (counts: Record<TextKind, number>, how: Counting) => {
  const plain = createPromptMeter([]);
  const meter = createPromptMeter([]);
  const wrong: string[] = [];
  const read = (kinds: readonly TextKind[], share: number, list: ModelMessage[]): void => {
    list.push(...kinds.slice(list.length).map((kind) => MESSAGES[kind]));
    const real = kinds.reduce((sum, kind) => sum + counts[kind], 0);
    const isCut = meter.counted('m', list, usageOf(real, share, how));
    const size = meter.size('m', list).tokens;
    const isCutPlain = plain.counted('m', list, usageOf(real, 0, how));
    const expected = plain.size('m', list).tokens;
    if (isCut !== isCutPlain || size !== expected)
      wrong.push(`${kinds} at ${share}: ${isCut}, ${size} for ${expected}`);
  };
  return { read, wrong };
};

const WAYS = ['within', 'beside'] as const;

/** Usually each tokenizer counts in one of the ways. */
describe.each(WAYS.map((how, at) => [how, at] as const))('cached tokens that are counted %s the prompt', (how, at) => {
  it.each(inTurn(TOKENIZERS, at, WAYS.length))(
    'are counted once with %s, however much is read anew after room was made',
    (_name, counts) => {
      verifies('B7');
      const wrong = KINDS.flatMap((kind) =>
        SHARES.flatMap((share) => {
          const played = server(counts, how);
          const grown: ModelMessage[] = [];
          played.read(['prose'], 0, grown);
          played.read(['prose', 'english'], 0.8, grown);
          played.read(['prose', 'english', kind], 0.7, grown);
          // Room was made: another list, of which the server knows a part.
          const made: ModelMessage[] = [];
          played.read([kind, 'english'], share, made);
          played.read([kind, 'english', 'prose'], 0.9, made);
          return played.wrong.map((line) => `${kind}: ${line}`);
        }),
      );
      expect(wrong).toEqual([]);
    },
  );
});
