/** The numbers of what runs outside: commands and the rules for them, the sandbox, background jobs. */
export const PROCESS_LIMITS = {
  /** Jobs of a session, running and ended; what is kept of one's unread output; how long a look at it may wait. */
  jobs: 32,
  jobOutputCharacters: 256 * 1024,
  jobWaitMsMax: 60_000,
  jobInputCharacters: 64 * 1024,
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
  /** Texts that a line prints, tried as words and lines of what it runs. */
  shellPrintedTexts: 8,
  repositoryConfigBytes: 256 * 1024,
  repositoryIndexBytes: 64 * 1024 * 1024,
  /** What the model reads of a command's output. */
  bashOutputBytes: 30 * 1024,
  /** What a person's screen gets of it while it runs; nobody reads more than this as it passes. */
  bashLiveBytes: 16 * 1024 * 1024,
} as const;
