/** The numbers of the sandbox, with their units. */
export const SANDBOX_LIMITS = {
  /** Of a path, with room for one name and what it is put by under; the system takes 4,096. */
  pathBytes: 3_700,
  /** Of a git configuration; a longer one counts as unreadable. */
  configBytes: 256 * 1024,
  /** Of a file of certificates, and of a folder of them. */
  certificateBytes: 2 * 1024 * 1024,
  certificateFiles: 500,
  /** Configurations of git that are read where one includes others. */
  configsRead: 50,
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
  /** Looks at a repository that does not come to rest, until it is taken as it is. */
  liveGitWaits: 5,
  /** What is reported of one background command that was not kept. */
  liveTold: 50,
  /** Of one question about changes that are held: files and folders, and characters of their contents. */
  heldFiles: 20,
  heldCharacters: 32 * 1024,
  /** What has to be free in memory before layers are put there. */
  memoryRoomBytes: 1024 ** 3,
  /** Of the files that one command changed: those that are noted before they count. */
  notedFiles: 2_000,
  /** Of these, those that are named where the command was stopped. */
  changedNamed: 10,
  /** Of a folder, when a command begins: folders and names that are listed, folders between two pauses, open indexes. */
  listedFolders: 5_000,
  listedNames: 100_000,
  listedAtOnce: 50,
  keptIndexes: 20,
  /** Of the log of a HEAD that is read. */
  reflogBytes: 8 * 1024 * 1024,
  /** Of an index of git that is read. */
  indexBytes: 64 * 1024 * 1024,
  /** Reading what a command put into repositories: all of it, one commit or tree, one object that is unpacked. */
  gitReadMs: 120_000,
  gitObjectBytes: 32 * 1024 * 1024,
  /** Of such a repository: others whose objects are known too, files of references that are read, bytes of one. */
  knownStores: 50,
  referenceFiles: 20_000,
  referenceBytes: 32 * 1024 * 1024,
  /** Paths whose earlier versions are looked for in the history. */
  pathsInHistory: 200,
  /** Paths of commits that are named where they are not kept. */
  broughtNamed: 3,
  /** How much of two files is compared at once. */
  comparedBytes: 1024 * 1024,
  /** How long the versions of commands that were not put in place are kept. */
  keptDays: 30,
  keptAttempts: 100,
  /** Of what a killed command had written: larger than that, it is not kept. */
  leftEntries: 5_000,
  leftBytes: 256 * 1024 * 1024,
  /** What is named of the changes of one command that could not be put in place. */
  notPutNamed: 50,
  /** Of a folder: files whose group is looked at. */
  groupsLookedAt: 2_000,
  /** Of a path: links that are followed. Of all folders: links that are autoloaded, with what they lead to. */
  linksFollowed: 40,
  autoloadedLinks: 1_000,
  /** How long the links below a folder are taken for those that are there. */
  linksFreshMs: 5_000,
  settleMs: 50,
  watchedFolders: 5_000,
  probeTimeoutMs: 5_000,
  protectedPaths: 200,
  /** Of a command's output: what is looked at for missing programs, and how many of them are told. */
  searchedOutputCharacters: 8_192,
  hiddenPrograms: 3,
} as const;
