import type { GatewayError } from './error.ts';

/**
 * Clients that repeat a failure by its status, whatever the headers of the answer say: Codex six times at most that are no
 * 5xx and thirty times at those, Qwen Code twelve times and opencode without end at what a server may be over with. They
 * stop at an error that a stream tells, and show its words. Where they stop at a status by themselves, they read more of it.
 * Programs with a library in them that lost its name heed the headers or, as Continue's, repeat ten times.
 */
export const repeatsStatus = (client: string | null, { status, isFinal }: Pick<GatewayError, 'status' | 'isFinal'>) => {
  const userAgent = client ?? '';
  if (CODEX.test(userAgent)) return true;
  const isRepeated = status >= 500 || status === 429;
  return isRepeated && (REPEATING.test(userAgent) || (isFinal && isUnnamed(userAgent)));
};

/** OpenAI's and Anthropic's library in a program that was made small: the class that gives it its name has two letters then. */
export const isUnnamed = (userAgent: string): boolean => /^\w{1,3}\/JS \d/.test(userAgent);
const CODEX = /^codex/i;
const REPEATING = /^(?:opencode|qwencode)/i;
