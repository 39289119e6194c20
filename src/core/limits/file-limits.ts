/** The numbers of the files that halter keeps: sessions, settings, old contents. In a file of their own for its length. */
export const FILE_LIMITS = {
  importBranches: 1_000,
  /** Of a file that a person put into a chat: no system's own limit is reached by it. */
  documentNameCharacters: 120,
} as const;
