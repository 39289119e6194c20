/**
 * Clients that repeat a failure by its status, whatever the headers of the answer say: Codex six times at most that are no
 * 5xx and thirty times at those, Qwen Code twelve times and opencode without end at what a server may be over with. They
 * stop at an error that a stream tells, and show its words. Where they stop at a status by themselves, they read more of it.
 */
export const repeatsStatus = (userAgent: string | null, status: number): boolean => {
  if (CODEX.test(userAgent ?? '')) return true;
  return REPEATING.test(userAgent ?? '') && (status >= 500 || status === 429);
};
const CODEX = /^codex/i;
const REPEATING = /^(?:opencode|qwencode)/i;
