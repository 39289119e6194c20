/** The limits of workers that share the conversations of a database. */
export const CLUSTER_LIMITS = {
  /** Conversations that one worker runs at a time; nearly all of that time is waiting for models. */
  workerConcurrency: 32,
  workerConcurrencyMax: 1_000,
  /** How often a worker asks for work. */
  workerPollMs: 100,
  /** How often a worker looks whether another one is gone. */
  workerSweepMs: 300,
  /** Connections to the database for the order of the work, besides those of the sessions. */
  workerConnections: 6,
  /** A worker that is told to end lets what runs finish for so long; the rest is handed back. */
  workerLeaveMs: 20_000,
  /** And all of its end takes no longer than this. */
  workerEndMs: 28_000,
  /** A session that another process has open is asked for again after so long, and a model that cannot be used as well. */
  workerRetryMs: 2_000,
  workerRetries: 30,
  /** A message to a conversation that waits for an answer comes back by itself after so long, if nothing woke it before. */
  workerLaterS: 300,
  /** What was worked off is kept so long, looked through so often, and removed so much at a time. */
  workerKeptMs: 86_400_000,
  workerTidyMs: 600_000,
  workerTidied: 1_000,
  /** A job is taken up again so often at one place of its conversation, whatever its workers died of. */
  jobRecoveries: 2,
  /** After that it fails where so many of the deaths were its own. */
  jobOwnDeaths: 2,
  /** For each worker that died without it one more of its own is let pass, and two for so many of them. */
  jobPassedTwice: 4,
  /** With so many deaths at one place it fails whatever they were of, and so many more as workers died without it. */
  jobDeathsMax: 10,
  jobDeathsPassedMax: 20,
  /**
   * A suspect runs so long without another suspect beside it where others wait for that: they may be many, and all be
   * innocent. After each more death its trial is so many times as long, up to the most.
   */
  jobTrialMs: 2_000,
  jobTrialGrowth: 4,
  jobTrialMsMax: 300_000,
  /** After one death it waits no longer than this for its trial. */
  jobTrialWaitMs: 4_000,
  /** How often a worker looks for jobs that stand in the records as its own and do not run here. */
  workerStrayMs: 2_000,
  /** The queue's own limit, beyond ours: being handed on in order counts there as well. */
  queueRecoveries: 10_000,
  /** Between two tries of a statement of the queue: the first, and twice as long each time up to the last. */
  queueRetry: { initialBackoffSec: 0.2, maxBackoffSec: 2 },
  /** Jobs that are counted for the depth of the queue. */
  queueCounted: 10_000,
  /** While another process makes the tables of the queue. */
  migrationWaitMs: 60_000,
  migrationRetryMs: 100,

  /** Words of an answer are gathered for so long before others hear them. */
  workerWordsMs: 50,
  /** The same trouble is told again after so long; of so many kinds it is remembered. */
  workerSayAgainMs: 10_000,
  workerKindsSaid: 100,
  /** A statement that came to no end in time was sent again by now, or is not wanted any more. */
  workerStuckKnownMs: 60_000,
  /** Words that came before the event that they follow. */
  workerHeldWords: 1_000,
} as const;
