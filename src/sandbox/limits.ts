/** The numbers of the sandbox, with their units. */
export const SANDBOX_LIMITS = {
  /** Of a git configuration; a longer one counts as unreadable. */
  configBytes: 256 * 1024,
  /** A changed file up to this size is copied; a larger one is moved. */
  copiedBytes: 16 * 1024 * 1024,
  /** Sockets of other programs that are covered. */
  sockets: 200,
  /** Mounting a layer, and asking the kernel what it holds. */
  layerMs: 20_000,
  /** How often what a background command wrote is brought over, and how many times longer than it takes. */
  liveMs: 1_000,
  liveShare: 5,
  /** Of a change outside that a background command is shown: entries of a new folder, bytes of a file. */
  liveEntries: 5_000,
  liveBytes: 32 * 1024 * 1024,
  /** What is reported of one background command that was not kept. */
  liveTold: 50,
  /** Of one question about changes that are held: files and folders, and characters of their contents. */
  heldFiles: 20,
  heldCharacters: 32 * 1024,
  /** What has to be free in memory before layers are put there. */
  memoryRoomBytes: 1024 ** 3,
  /** Of the files that one command changed: those that are noted before they count. */
  notedFiles: 2_000,
  settleMs: 50,
  watchedFolders: 5_000,
  probeTimeoutMs: 5_000,
  protectedPaths: 200,
} as const;
