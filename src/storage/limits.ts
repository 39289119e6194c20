/** The limits of what is kept: files of one machine, and a database that many machines share. */
export const STORAGE_LIMITS = {
  /** Between two looks at a session file that another program may write. */
  fileFeedMs: 500,
  /** Of one process, besides the one it listens on. */
  databaseConnections: 10,
  databaseConnectMs: 5_000,
  /** The database ends a statement that waits so long for a lock, or takes so long in all. */
  databaseLockMs: 25_000,
  databaseStatementMs: 28_000,
  /** It said nothing at all for so long: the other side is gone. */
  databaseAnswerMs: 30_000,
  /** And so long where nobody can wait longer: whether it is there, and the lease. */
  databasePingMs: 5_000,
  databaseLeaseAnswerMs: 4_000,
  /** How often the connection that listens is asked something. */
  databaseLookMs: 5_000,
  /** It ends a transaction in which nothing was asked for so long. */
  databaseIdleMs: 6_000,
  /** Changes of tables, and whoever waits for them. */
  databaseMigrationMs: 600_000,
  /** While the database is away (it restarts, the network is cut), what was asked of it waits so long and then fails. */
  databaseWaitMs: 30_000,
  /** The first word to it: whoever waits for the start of a program hears sooner that there is none. */
  databaseOpenMs: 5_000,
  /** Between two tries: the first, and twice as long each time up to the last. */
  databaseRetryMs: 50,
  databaseRetryMaxMs: 1_000,
  /** A process that shows no life is taken over from after so long, looked at again and again. */
  databaseTakeoverMs: 500,
  /** Looks that are further apart than this are not of the same absence. */
  databaseGoneKnownMs: 10_000,
  /** And one that has a connection still has it after so long: that of a process that was killed is gone by then. */
  databaseInUseMs: 1_000,
  databaseTakeoverRetryMs: 100,
  /** What was known of who has a session is taken for known so long: a process that is frozen keeps it longer than this. */
  fenceKnownMs: 1_500,
  /** An answer that took longer counts for nothing, and so often it is asked for. */
  fenceTries: 3,
  /** While the database is away nobody waits longer for it. */
  fenceWaitMs: 5_000,
  /** A process renews its lease this often; one that did not for so long is frozen, and others take over. */
  leaseRenewMs: 1_000,
  leaseMs: 6_000,
  /** One that renewed it so recently lives, also where its connection broke and its lock is free. */
  leaseFreshMs: 1_500,
  /** After a start of the database all processes get so long to come back, and try so often. */
  databaseGraceMs: 2_000,
  databaseReconnectMs: 200,
  failedJobsListed: 1_000,
  /** Workers that died so long before a job's first death tell that something else kills workers. */
  deathsBeforeMs: 600_000,
  /** Requests of one process that wait for places at model servers, and how often they look whether it is their turn. */
  placesWaiting: 10_000,
  placesLookMs: 1_000,
  /** Of one event, for the full text; PostgreSQL keeps at most 1 MB of different words. */
  spokenCharacters: 100_000,
  /** Silence on the connection of a machine that is gone, in seconds: when it is asked, how often, and how many times. */
  databaseKeepaliveIdleS: 5,
  databaseKeepaliveIntervalS: 2,
  databaseKeepaliveCount: 3,
  /** Events that are read at a time, and about how many bytes of them. */
  databaseReadEvents: 1_000,
  databaseReadBytes: 8 * 1024 * 1024,
  /** A notification may be lost: what is followed is looked at as often as this. */
  databaseFollowMs: 5_000,
  /** Of one part of a file, what its words are taken of; PostgreSQL takes a megabyte of words in one row. */
  indexChunkWords: 200_000,
  /** How common words are is counted in about so many parts; those in more than so many are noted. */
  indexWordsCounted: 5_000,
  indexCommonChunks: 200,
  indexCommonWords: 50_000,
  /** A process that took texts to make vectors of has so long, then another one may. */
  indexTextTakenMs: 90_000,
  indexEmbedCharacters: 6_000,
  /** Where the database has no pgvector: the newest so many are kept in a process, read so many at a time. */
  indexVectorsInMemory: 50_000,
  indexVectorsAtOnce: 1_000,
  /** An index of another version that nobody used for so many days is removed. */
  indexUnusedDays: 30,
  /** Of one notification; PostgreSQL takes less than 8,000 bytes. */
  databaseNotificationBytes: 7_900,
  /** Notifications that are of use at this moment only, waiting to be sent. */
  databaseUnsentMessages: 1_000,
  /** Rules of one workspace. */
  databaseRules: 10_000,
  sessionLineBytes: 64 * 1024 * 1024,
  /** Read at a time, when a session is read through. */
  sessionReadBytes: 1024 * 1024,
  /** A list of sessions reads this much of the beginning and the end of each. */
  sessionHeadBytes: 16 * 1024,
  sessionTailBytes: 4 * 1024,
  sessionListAtOnce: 16,
  /** Fewer sessions are read one by one; an index beside them costs more than it saves. */
  sessionIndexFrom: 200,
  /** Sessions that are read and written into the index together. */
  sessionIndexBatch: 64,
  /** So many that a person waits for them. */
  sessionIndexToldFrom: 1_000,
  sessionIndexBusyMs: 1_000,
  sessionTitleCharacters: 80,
  pinnedSessions: 200,
  pinsFileBytes: 100_000,
  /** Damaged lines that are named one by one. */
  sessionWarnings: 20,
  /** A temporary file of our own whose process number is in use again is nobody's after this time. */
  ownTemporaryMs: 60 * 60 * 1000,
  /** Of a session that comes from somewhere else. */
  importBytes: 256 * 1024 * 1024,
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
  /** Rules that cannot be understood and are named one by one, and so much of each. */
  wrongRulesShown: 5,
  shownRuleCharacters: 200,
  /** Files and folders of a project's `.halter`, and how deep they may lie. */
  projectSettingsEntries: 500,
  projectSettingsDepth: 4,
  /** How old the key may be by which pages are known again. */
  pageKeyMs: 30 * 24 * 60 * 60 * 1000,
  /** Commands of one's own (`commands/*.md`): how many are read, how long one is. */
  customCommands: 200,
  customCommandBytes: 64 * 1024,
  /** Of one session's traces. */
  traceFileBytes: 64 * 1024 * 1024,
  mcpFileBytes: 1024 * 1024,
  /** A key of a model server. */
  apiKeyBytes: 16 * 1024,
  profileFileBytes: 1024 * 1024,
  profileNameCharacters: 60,
  profileFiles: 1_000,
  sharedProfilesBytes: 16 * 1024 * 1024,
  /** Sessions that are listed where the beginning of an id means several. */
  sessionsNamed: 10,
  /** The least of an id that halter made by which a session is changed or deleted. */
  sessionBeginningCharacters: 8,
  /** The least of one with which `--session` goes on with it. */
  openedBeginningCharacters: 4,
  modelSpeeds: 200,
  /** Files that a person put into one chat. */
  chatDocuments: 200,
  egressFileBytes: 2 * 1024 * 1024,
  egressFilesAside: 3,
} as const;
