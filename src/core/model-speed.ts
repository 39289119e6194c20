/** How fast a model reads and writes here, learned from its answers, so that a wait can be told beforehand. */
import { LIMITS } from './limits.ts';
import type { Usage } from './message.ts';
import type { ModelSpeed } from './model-profile.ts';

/** What one answer says of the speed. Too little of either says nothing. */
export const speedOf = (usage: Usage): ModelSpeed => {
  const { prompt_seconds, seconds, completion_tokens } = usage;
  if (prompt_seconds === undefined) return {};
  const read = usage.prompt_tokens - (usage.cached_tokens ?? usage.shared_tokens ?? 0);
  const writing = seconds - prompt_seconds;
  return {
    ...(read >= LIMITS.speedSampleTokens && prompt_seconds > 0
      ? { prefill_tokens_per_second: read / prompt_seconds }
      : {}),
    ...(completion_tokens >= LIMITS.speedSampleTokens / 4 && writing > 0
      ? { decode_tokens_per_second: completion_tokens / writing }
      : {}),
  };
};

/** A prompt that seems to be read many times faster was in a cache that the server does not speak of. */
const CACHED_FROM = 4;
const WEIGHT = 0.3;

const blend = (before: number | undefined, now: number | undefined): number | undefined => {
  if (before === undefined || now === undefined) return now ?? before;
  return now > before * CACHED_FROM ? before : before + (now - before) * WEIGHT;
};

export const learnSpeed = (before: ModelSpeed, sample: ModelSpeed): ModelSpeed => {
  const prefill = blend(before.prefill_tokens_per_second, sample.prefill_tokens_per_second);
  const decode = blend(before.decode_tokens_per_second, sample.decode_tokens_per_second);
  return {
    prefill_tokens_per_second: prefill,
    decode_tokens_per_second: decode,
  };
};
