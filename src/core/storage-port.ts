/** The port to what is kept between runs. Two makes: files and (many machines) PostgreSQL. */
import type { Command, Event, Rule } from './events.ts';
import type { Outcome } from './outcome.ts';

export type SessionSummary = {
  id: string;
  /** The name that the person gave it, else the first words of the first message. */
  title: string;
  workspace: string;
  model: string;
  created_at: number;
  updated_at: number;
  message_count: number;
};

/** One session's log, open for appending by one process. */
export type SessionLog = {
  /** Durable when it resolves. A failed append leaves the log as it was. */
  append(event: Event): Promise<Outcome<void>>;
  /**
   * Whether this process still has the session, as of now: one that was frozen may have lost it. False also where nobody can
   * say. Absent: it has it as long as it lives.
   */
  holds?(): Promise<boolean>;
  close(): Promise<void>;
};

/** Told how far it is where so many sessions are read first that a person waits. */
export type OnReading = (done: number, total: number) => void;

export type OpenedLog = {
  log: SessionLog;
  events: Event[];
  warnings: string[];
  /** Up to this event it came with a backup that was restored: what was done after that was made is not in it. */
  copiedTo?: number;
};

export type KnownLog = Pick<OpenedLog, 'copiedTo'> & { events: readonly Event[] };

export type SessionStore = {
  /** Opens for appending, creating where there is none; a second opener is refused with `reason: 'in_use'`. */
  open(id: string): Promise<Outcome<OpenedLog>>;
  /** A new session that holds these events from the start: whole or not at all. */
  create(id: string, events: readonly Event[]): Promise<Outcome<void>>;
  /** Every session there is, in no order. */
  ids(): Promise<Outcome<string[]>>;
  /** Reads without opening. Damaged lines are left out and named in `warnings`; nothing is deleted. */
  read(id: string): Promise<Outcome<{ events: Event[]; warnings: string[] }>>;
  /** Newest first. `alias`: another name of `workspace`, whose sessions are listed too. */
  list(options?: {
    workspace?: string;
    alias?: string;
    limit?: number;
    onReading?: OnReading;
  }): Promise<Outcome<SessionSummary[]>>;
  /**
   * Sessions that may hold all of these words (in small letters) in one place; none that does is left out. Absent or undefined: every
   * session may.
   */
  holding?(words: readonly string[], onReading?: OnReading): Promise<Outcome<ReadonlySet<string> | undefined>>;
  remove(id: string): Promise<Outcome<void>>;
};

/** What is written by other processes, where several share a store. */
export type SessionFeed = {
  /** Hands over every event after `afterSeq`, in order and once, whoever writes it. Returns how to stop. */
  follow(
    id: string,
    afterSeq: number,
    listener: { onEvents(events: readonly Event[]): void; onRemoved?(): void },
  ): () => void;
};

/** The processes that share a store. */
export type Members = {
  /** The number of this process, for as long as it lives. From now on the others know it as a worker of these folders. */
  self(folders: readonly string[]): Promise<Outcome<number>>;
  /** The folders that workers who show life now work for. */
  served(): Promise<Outcome<ReadonlySet<string>>>;
  /** Which of them showed no life when they were looked at now, and a while ago as well. */
  gone(numbers: readonly number[]): Promise<Outcome<number[]>>;
  /** Sends a message to every process that listens at this moment. It is kept nowhere. */
  publish(message: string): void;
  subscribe(listener: (message: string) => void): () => void;
};

/** What waits in the queue of workers, for whoever watches over it. */
export type QueueDepth = {
  waiting: number;
  running: number;
  oldestWaitingMs: number;
  /** Jobs of folders that no living worker works for; what does not say its folder is left out. */
  unserved: readonly Unserved[];
};
export type Unserved = { folder: string; jobs: number };

/** A job that a process died with. */
export type JobDeath = {
  job: string;
  session: string;
  /** The number of the process that died. */
  process: number;
};

/** A job that was given up, since every process that took it died at the same place. */
export type FailedJob = {
  job: string;
  session: string;
  command: Command;
  /** As `provider/model`; absent: the worker's own. */
  model?: string;
  message: string;
  /** How many processes died with it. */
  deaths: number;
  /** Milliseconds since 1970. */
  at: number;
};

/**
 * How often processes died with a job at one place of its conversation. `own`: of that in a trial of the job, or with nothing
 * else in work. `others`: workers that died without it since, or shortly before, and not with a job that was given up.
 */
export type DeathsAtPlace = { here: number; own: number; others: number };

/** What is known of jobs that do not come to an end. */
export type JobRecords = {
  /** The same death is noted once, whoever notes it, and only where the process had the session open. */
  noteDeaths(deaths: readonly JobDeath[]): Promise<Outcome<void>>;
  /** How often a process died with this job. */
  deaths(job: string): Promise<Outcome<number>>;
  /** Says where in the conversation the last death was. */
  notePlace(job: string, place: string): Promise<Outcome<DeathsAtPlace>>;
  /** From now on this process tries the job alone: a death of it is the job's own. */
  beginTrial(job: string, process: number): Promise<Outcome<void>>;
  /** It outlived its trial by this process; one by another process, which took over meanwhile, goes on. */
  endTrial(job: string, process: number): Promise<Outcome<void>>;
  fail(failed: Omit<FailedJob, 'at'>): Promise<Outcome<void>>;
  /** Newest first. */
  failed(): Promise<Outcome<FailedJob[]>>;
  /** Removes it from the list; false where it is not there. */
  discard(job: string): Promise<Outcome<boolean>>;
  /** Forgets what is older than this (milliseconds since 1970), and is not in the list of failed jobs. */
  forget(before: number): Promise<Outcome<void>>;
};

export type StoredRule = Rule & { decision: 'allow' | 'deny'; workspace: string; created_at: number };

/** policies.json. */
export type PolicyStore = {
  /** Rules for this workspace. A damaged file is kept aside, said in `warnings`, and allows nothing. */
  load(workspace: string): Promise<{ rules: StoredRule[]; warnings: string[] }>;
  add(rule: StoredRule): Promise<Outcome<void>>;
  /** Takes out what was said of the same tool and pattern in the same folder; one that is not there is no failure. */
  remove(rule: Pick<StoredRule, 'tool' | 'pattern' | 'workspace'>): Promise<Outcome<void>>;
  /** Another word where the rules may be others than when it was asked for before. Absent: they are read again to know. */
  stamp?(): Promise<string>;
  readonly path: string;
};
