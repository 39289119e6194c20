/**
 * Clients that repeat a failure by its status, Codex thirty times, Qwen Code twelve and opencode without end, whatever the
 * headers of the answer say. They stop at an error that a stream tells, and show its words.
 */
const REPEATS_STATUSES = /^(?:codex|opencode|qwencode)/i;

export const repeatsStatuses = (userAgent: string | null): boolean => REPEATS_STATUSES.test(userAgent ?? '');
