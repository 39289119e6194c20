/** The numbers of the sandbox, with their units. */
export const SANDBOX_LIMITS = {
  probeTimeoutMs: 5_000,
  protectedPaths: 200,
} as const;
