/** The numbers of the files that halter keeps: sessions, settings, old contents. In a file of their own for its length. */
export const FILE_LIMITS = {
  sessionLineBytes: 64 * 1024 * 1024,
  /** A session that needs care with memory. */
  sessionLargeBytes: 32 * 1024 * 1024,
  /** Read at a time, when a session is read through. */
  sessionReadBytes: 1024 * 1024,
  /** A list of sessions reads this much of the beginning and the end of each. */
  sessionHeadBytes: 16 * 1024,
  sessionTailBytes: 4 * 1024,
  sessionListAtOnce: 16,
  sessionTitleCharacters: 80,
  /** Damaged lines that are named one by one. */
  sessionWarnings: 20,
  /** A temporary file of our own whose process number is in use again is nobody's after this time. */
  ownTemporaryMs: 60 * 60 * 1000,
  /** Of a session that comes from somewhere else. */
  importBytes: 256 * 1024 * 1024,
  importBranches: 1_000,
  /** Of a file that a person put into a chat: no system's own limit is reached by it. */
  documentNameCharacters: 120,
  /** Of a folder that is copied for a replay with real tools. */
  replayCopyBytes: 512 * 1024 * 1024,
  replayCopyFiles: 50_000,
  /** What files held before halter changed them: all of it together, and how many contents. */
  undoBytes: 256 * 1024 * 1024,
  undoFiles: 5_000,
  /** Of these limits, what is left when the oldest made room. */
  undoRoomShare: 0.8,
  /** For a file of our own that another halter is writing. */
  lockWaitMs: 3_000,
  lockRetryMs: 15,
  policiesFileBytes: 4 * 1024 * 1024,
  configFileBytes: 1024 * 1024,
  /** Files and folders of a project's `.halter`, and how deep they may lie. */
  projectSettingsEntries: 500,
  projectSettingsDepth: 4,
} as const;
