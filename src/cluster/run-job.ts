/**
 * What a worker does with one job. The log of the session says what is to be done. The worker opens the session, hands the
 * command over, and closes the session when nothing runs any more: at the end of the run, or where the run waits for an
 * answer of the person. A conversation that waits is in the memory of no process.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenSessionOptions } from '../agent/session/open-session.ts';
import type { OpenSession } from '../agent/session.ts';
import type { Command, Event, SessionUpdate } from '../core/events.ts';
import type { Limits } from '../core/limits.ts';
import type { ModelError } from '../core/model-port.ts';
import { isResting } from '../core/open-work.ts';
import type { Outcome } from '../core/outcome.ts';
import { folderOf } from '../core/session-folder.ts';
import { isMessage, isToRun, type Job, stands, waitsForIdle, wasTaken } from './jobs.ts';
import { CLUSTER_LIMITS } from './limits.ts';
import { cameWithBackup } from './restored-job.ts';
import { NOT_NOW } from './tell-unusable.ts';

/** What was found when the job was begun for the first time: kept, so that a second time does not decide again. */
export type Begun =
  | { kind: 'go'; seq: number }
  | { kind: 'later'; seconds: number }
  | { kind: 'told' }
  | { kind: 'elsewhere' };

export type RunJobPorts = {
  openSession(options: OpenSessionOptions): Promise<Outcome<OpenSession, ModelError>>;
  /** Runs `work` and keeps what it found; a second time it returns what was kept. */
  once(work: () => Promise<Begun>): Promise<Begun>;
  /** Puts the job off. */
  later(seconds: number): Promise<void>;
  /** Leaves the job to a worker of the session's own folder. */
  elsewhere(): Promise<void>;
  /** Jobs of this session that were put off come again. */
  wake(): Promise<void>;
  /** Writes into the log that the model cannot be used. */
  tellUnusable(error: ModelError): Promise<Outcome<void>>;
  /** Writes into the log that the message came with a backup. */
  tellRestored(): Promise<Outcome<void>>;
  /** Tells whoever keeps the worker. */
  warn(message: string): void;
  /** A session runs here now. Returns what to call when it does not any more. */
  running(session: OpenSession): () => void;
  /** `at`: how many characters of its answer came before a piece of text. */
  publish(session: string, afterSeq: number, update: SessionUpdate, at?: number): void;
  limits: Limits;
};

/** `left`: the session was let go in the middle of a run. `lost`: its log could not be written any more. */
export type JobOutcome = 'done' | 'left' | 'lost';

export const runJob = async (job: Job, ports: RunJobPorts): Promise<JobOutcome> => {
  let held: Held | undefined;
  const ear = listen(job.session, ports);
  const opening = openingOf(job, ear.hear);
  try {
    const begun = await ports.once(async () => {
      const opened = await ports.openSession(opening);
      if (!opened.ok) return unopened(job, opened.error, ports);
      if (folderOf(opened.value.log()) === undefined) {
        await opened.value.leave();
        return refuseForGood(job, NO_FOLDER, ports);
      }
      held = hold(opened.value, ports);
      if (waitsForIdle(job.command) && (await opened.value.settled()) === 'waiting') {
        // A run that came to a halt because its log could not be written waits for no person.
        return isResting(ports.limits, opened.value.log()) ? LATER : SOON;
      }
      if (job.restored && isMessage(job.command) && !stands(job.command, opened.value.log())) {
        await held.letGo();
        held = undefined;
        return (await ports.tellRestored()).ok ? { kind: 'told' } : SOON;
      }
      return { kind: 'go', seq: opened.value.log().at(-1)?.seq ?? 0 };
    });
    if (begun.kind === 'elsewhere') await ports.elsewhere();
    if (begun.kind === 'later') await ports.later(begun.seconds);
    if (begun.kind !== 'go') return 'done';
    held ??= hold(await openAgain(opening, ports), ports);
    const { session } = held;
    await take(job, session, begun.seq, ports);
    const settled = await session.settled();
    if (ear.isLost()) return 'lost';
    if (!isResting(ports.limits, session.log())) return 'left';
    if (settled === 'idle' && isToRun(job.command)) await ports.wake();
    return 'done';
  } finally {
    await held?.letGo();
  }
};

/** Others hear what the session says from its first word on: a run that goes on begins while it is opened. */
const listen = (session: string, { publish }: RunJobPorts) => {
  const told = { text_delta: 0, reasoning_delta: 0 };
  let isLost = false;
  return {
    isLost: () => isLost,
    hear(update: SessionUpdate, after: number): void {
      if (update.seq !== undefined) return;
      if (update.type === 'warning' && update.code === 'session_not_written') isLost = true;
      else if (update.type === 'text_delta' || update.type === 'reasoning_delta') {
        publish(session, after, update, told[update.type]);
        told[update.type] += update.delta.length;
      } else {
        if (update.type === 'model_started') Object.assign(told, { text_delta: 0, reasoning_delta: 0 });
        publish(session, after, update);
      }
    },
  };
};

type Held = { session: OpenSession; letGo(): Promise<void> };

/** From here on it hears what is said to it while it runs. */
const hold = (session: OpenSession, ports: RunJobPorts): Held => {
  const stop = ports.running(session);
  return {
    session,
    async letGo() {
      stop();
      await session.leave();
    },
  };
};

const SOON: Begun = { kind: 'later', seconds: CLUSTER_LIMITS.workerRetryMs / 1000 };
const LATER: Begun = { kind: 'later', seconds: CLUSTER_LIMITS.workerLaterS };

const openingOf = ({ session, model }: Job, hears: OpenSessionOptions['hears']): OpenSessionOptions => ({
  id: session,
  goesOn: true,
  model,
  hears,
});

/** Sessions have said it from the first version on; of one that does not nobody knows where its files are. */
const NO_FOLDER: ModelError = {
  code: 'bad_request',
  message:
    'This session does not say which folder it belongs to, so no worker goes on with it. Export it, and import it where it belongs.',
};

const unopened = async (job: Job, error: ModelError, ports: RunJobPorts): Promise<Begun> => {
  if (error.reason === 'other_folder') return { kind: 'elsewhere' };
  return error.of_storage ? SOON : tellOrWait(job, error, ports);
};

/** A message is answered with what is wrong with the model; anything else can wait until the model is back. */
const tellOrWait = async (job: Job, error: ModelError, ports: RunJobPorts): Promise<Begun> => {
  if (job.command.type !== 'send_message') return SOON;
  return (await ports.tellUnusable(error)).ok ? { kind: 'told' } : SOON;
};

/** What no worker ever does is not put off: it ends with words, in the log where they can stand there, else to whoever reads. */
const refuseForGood = async (job: Job, error: ModelError, ports: RunJobPorts): Promise<Begun> => {
  if (job.command.type === 'send_message') {
    const told = await ports.tellUnusable(error);
    if (told.ok) return { kind: 'told' };
    if (told.error.reason !== NOT_NOW) return SOON;
  }
  ports.publish(job.session, 0, { type: 'warning', code: 'not_now', message: error.message });
  ports.warn(`${job.session}: ${error.message}`);
  return { kind: 'told' };
};

/** After another worker began and ended in the middle. */
const openAgain = async (opening: OpenSessionOptions, ports: RunJobPorts): Promise<OpenSession> => {
  for (let tries = 1; ; tries += 1) {
    const opened = await ports.openSession(opening);
    if (opened.ok) return opened.value;
    if (tries >= CLUSTER_LIMITS.workerRetries) throw new Error(opened.error.message);
    await sleep(CLUSTER_LIMITS.workerRetryMs);
  }
};

const take = async (
  { command, restored }: Job,
  session: OpenSession,
  began: number,
  ports: RunJobPorts,
): Promise<void> => {
  if (restored) return tellNotDone(command, session, ports);
  if (wasTaken(command, session.log(), began)) return;
  await sendCommand(command, session, ports.publish);
};

/** What goes on in the session goes on. A message stands in the log; an answer that is still awaited is asked for by itself. */
const tellNotDone = (command: Command, session: OpenSession, { publish, warn }: RunJobPorts): void => {
  if (isMessage(command) || (isToRun(command) && !isStillAsked(command, session.log()))) return;
  const message = cameWithBackup(command);
  publish(session.id, session.log().at(-1)?.seq ?? 0, { type: 'warning', code: 'not_now', message });
  warn(`${session.id}: ${message}`);
};

/** A command that is refused is reported, unless it had been taken before. */
export const sendCommand = async (
  command: Command,
  session: OpenSession,
  publish: RunJobPorts['publish'],
): Promise<void> => {
  const sent = await session.send(command);
  if (sent.ok || (isToRun(command) && !isStillAsked(command, session.log()))) return;
  publish(session.id, session.log().at(-1)?.seq ?? 0, { type: 'warning', code: 'not_now', message: sent.message });
};

const isStillAsked = (command: Command, log: readonly Event[]): boolean => {
  if (command.type !== 'resolve_permission' && command.type !== 'leave_unanswered') return false;
  const last = log.findLast(({ type }) => type === 'permission_requested' || type === 'permission_resolved');
  return last?.type === 'permission_requested' && last.tool_call_id === command.tool_call_id;
};
