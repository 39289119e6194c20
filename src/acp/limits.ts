/** The numbers of halter as an agent of editors. */
export const ACP_LIMITS = {
  /** Sessions that an editor has open at once. */
  acpSessions: 64,
} as const;
