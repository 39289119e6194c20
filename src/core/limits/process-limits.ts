/** The numbers of what runs outside: commands and the rules for them, the sandbox, background jobs. */
export const PROCESS_LIMITS = {
  /** Jobs of a session, running and ended; what is kept of one's unread output; how long a look at it may wait. */
  jobs: 32,
  jobOutputCharacters: 256 * 1024,
  jobWaitMsMax: 60_000,
  jobInputCharacters: 64 * 1024,
  jobColumns: 120,
  jobRows: 40,
  bashTimeoutMs: 120_000,
  bashTimeoutMsMax: 600_000,
  bashCommandBytes: 32 * 1024,
  /** Commands of one line beyond which no rule allows it. */
  shellCommands: 50,
  /** Parts of a parsed line that are looked through for commands that a rule denies. */
  shellNodes: 200_000,
  /** Lines within lines (bash -c, eval) that are read. */
  shellLinesWithin: 3,
  shellCommandsConsidered: 5_000,
  repositoryConfigBytes: 256 * 1024,
  repositoryIndexBytes: 64 * 1024 * 1024,
  sandboxProbeTimeoutMs: 5_000,
  sandboxProtectedPaths: 200,
  /** What the model reads of a command's output. */
  bashOutputBytes: 30 * 1024,
  /** What a person's screen gets of it while it runs; nobody reads more than this as it passes. */
  bashLiveBytes: 16 * 1024 * 1024,
  /** How long the pipes may stay open after the shell itself has ended (a daemon may hold them). */
  bashPipeGraceMs: 200,
  /** Between asking a process group to end (TERM) and ending it (KILL). */
  processKillGraceMs: 500,
  /** How often to look whether a group that was asked to end has ended. */
  processGroupPollMs: 10,
  /** A process may start another between a scan and its end: KILL again until a scan finds nobody new. */
  processKillRounds: 5,
  /** Of a flood, before the memory it was read into is given back. */
  readBetweenCollections: 16 * 1024 * 1024,
  /** Turns of the event loop in which what is left in the pipe of a finished command may still be read. */
  processDrainTurns: 64,
} as const;
