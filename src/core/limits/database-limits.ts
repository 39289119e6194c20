/** The numbers of a database that many machines share. */
export const DATABASE_LIMITS = {
  /** Of one process, besides the one it listens on. */
  databaseConnections: 10,
  databaseConnectMs: 5_000,
  /** One statement; longer means that the other side is gone. */
  databaseStatementMs: 30_000,
  /** While the database is away (it restarts, the network is cut), what was asked of it waits so long and then fails. */
  databaseWaitMs: 30_000,
  /** The first word to it: whoever waits for the start of a program hears sooner that there is none. */
  databaseOpenMs: 5_000,
  /** Between two tries: the first, and twice as long each time up to the last. */
  databaseRetryMs: 50,
  databaseRetryMaxMs: 1_000,
  /** A session whose process has no connection any more is taken over after so long without one. */
  databaseTakeoverMs: 2_000,
  /** And one that has a connection still has it after so long: that of a process that was killed is gone by then. */
  databaseInUseMs: 1_000,
  databaseTakeoverRetryMs: 100,
  /** Silence on the connection of a machine that is gone, in seconds: when it is asked, how often, and how many times. */
  databaseKeepaliveIdleS: 5,
  databaseKeepaliveIntervalS: 2,
  databaseKeepaliveCount: 3,
  /** Events that are read at a time, and about how many bytes of them. */
  databaseReadEvents: 500,
  databaseReadBytes: 8 * 1024 * 1024,
  /** A bell that nobody heard: what is followed is looked at as often as this. */
  databaseFollowMs: 5_000,
  /** Of one notification; PostgreSQL takes less than 8,000 bytes. */
  databaseBellBytes: 7_900,
  /** Notifications that are of use at this moment only, waiting to be sent. */
  databaseUnsaid: 1_000,
  /** Rules of one workspace. */
  databaseRules: 10_000,
} as const;
