/**
 * Most servers count what came from their cache as part of the prompt, some beside it. How a server does it is learned from
 * its own counts, since one count alone may be read both ways where the estimate is off.
 */
import type { Usage } from '../message.ts';

export type CachedCounts = {
  /** Tokens of the whole prompt. `expected`: about how many it has. */
  read(usage: Usage, expected: number): number;
};

export const createCachedCounts = (): CachedCounts => {
  let isBeside: boolean | undefined;
  return {
    read({ prompt_tokens, cached_tokens = 0 }, expected) {
      const sum = prompt_tokens + cached_tokens;
      // No part is larger than the whole.
      if (cached_tokens > prompt_tokens) isBeside = true;
      else if (isClearlyNearer(prompt_tokens, sum, expected)) isBeside ??= false;
      const isBesideHere = isBeside ?? isClearlyNearer(sum, prompt_tokens, expected);
      return isBesideHere ? sum : prompt_tokens;
    },
  };
};

const isClearlyNearer = (one: number, other: number, expected: number): boolean =>
  Math.abs(one - expected) * CLEARLY < Math.abs(other - expected);
const CLEARLY = 2;
