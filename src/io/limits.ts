import { LIMITS } from '../core/limits.ts';

/** The numbers that bound files, processes and connections, with their units. */
export const IO_LIMITS = {
  /** Of the proxy for commands: connecting, silence, and connections at a time. */
  proxyConnectMs: 10_000,
  proxyIdleMs: 300_000,
  proxyConnections: 256,
  /** How long the pipes may stay open after the shell itself has ended (a daemon may hold them). */
  bashPipeGraceMs: 200,
  ignoreFileBytes: 1024 * 1024,
  ignoreLines: 10_000,
  indexWatchedFolders: 5_000,
  jobColumns: 120,
  jobRows: 40,
  /** Links followed while finding the file that a write is meant for. */
  linkHops: 40,
  /** Turns of the event loop in which what is left in the pipe of a finished command may still be read. */
  processDrainTurns: 64,
  /** How often to look whether a group that was asked to end has ended. */
  processGroupPollMs: 10,
  /** Between asking a process group to end (TERM) and ending it (KILL). */
  processKillGraceMs: 500,
  /** A program at the person's terminal that is told to end may save what it has. */
  foregroundGraceMs: 3_000,
  /** A process may start another between a scan and its end: KILL again until a scan finds nobody new. */
  processKillRounds: 5,
  /** Of a flood, before the memory it was read into is given back. */
  readBetweenCollections: 16 * 1024 * 1024,
  readChunkBytes: 1024 * 1024,
  seenPaths: 10_000,
  /** A temporary file of a process that is gone is removed once it is this old. */
  staleTemporaryMs: 60_000,
  tcpKeepAliveMs: 30_000,
  walkDepth: 128,
  walkDirectories: 50_000,
  /** A walk or a long listing lets the rest of the program run after this long. */
  walkSliceMs: 10,
  writeFileBytes: 10 * 1024 * 1024,
  /** What setTimeout can count. */
  timerMsMax: LIMITS.timerMsMax,
  /** Jobs of a session, running and ended; what is kept of one's unread output; how long a look at it may wait. */
  jobs: 32,
  jobOutputCharacters: 256 * 1024,
} as const;
