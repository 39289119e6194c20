/**
 * A job that costs every worker its life must not take all of them, and whoever runs beside it must not pay for it. A
 * worker that dies with several conversations says nothing of any of them, so their jobs are suspects: each is tried with no
 * other suspect beside it (see trials.ts). A death in its trial, or with nothing else in work, is its own; the second one
 * ends its run and puts the job on a list. Deaths at different places of the conversation (machines that fail, kills) do not
 * count together, since it goes on in between.
 */
import type { Event, EventBody } from '../core/events.ts';
import type { Limits } from '../core/limits.ts';
import { type Outcome, succeed } from '../core/outcome.ts';
import { fold } from '../core/step.ts';
import type { DeathsAtPlace, JobRecords, KnownLog } from '../core/storage-port.ts';
import { appendToSession, type EndRunParts, endOfRun } from './end-run.ts';
import { firstJobId, type Job, stands } from './jobs.ts';
import { CLUSTER_LIMITS } from './limits.ts';
import type { TrialTimes } from './trials.ts';

/** `given_up`: it is not begun again. A suspect has a tool that may kill, or may kill by itself. */
export type Standing = { kind: 'fine' } | ({ kind: 'suspect'; hasTool: boolean } & TrialTimes) | { kind: 'given_up' };

/**
 * A worker that dies while a tool runs most likely dies of it, so that is tried at once, unless too many are; what has no
 * tool running waits for its model, often long, and is tried after a second death. Where workers die without the job as
 * well, something from outside kills them (a person, or a machine that lacks memory), and deaths that seem to be its own may
 * be of that. Chance may let such kills hit it more often than others, so for the first of them two are let pass each.
 */
export const judge = ({ here, own, others }: DeathsAtPlace, hasTool: boolean): Standing => {
  const { jobRecoveries, jobTrialGrowth, jobTrialMs, jobTrialMsMax, jobTrialWaitMs } = CLUSTER_LIMITS;
  if (isGuilty({ here, own, others })) return { kind: 'given_up' };
  const beyond = here - (hasTool || own > 0 ? 1 : jobRecoveries);
  if (beyond < 0) return { kind: 'fine' };
  return {
    kind: 'suspect',
    hasTool,
    // One that kills later than a trial lasts gets a longer one after each death.
    trialMs: Math.min(jobTrialMs * jobTrialGrowth ** beyond, jobTrialMsMax),
    waitMs: here < jobRecoveries ? jobTrialWaitMs : Number.POSITIVE_INFINITY,
  };
};

const isGuilty = ({ here, own, others }: DeathsAtPlace): boolean => {
  const { jobRecoveries, jobOwnDeaths, jobPassedTwice, jobDeathsMax, jobDeathsPassedMax } = CLUSTER_LIMITS;
  const passed = others + Math.min(others, jobPassedTwice);
  if (here > jobRecoveries && own >= jobOwnDeaths + passed) return true;
  return here >= jobDeathsMax + Math.min(others, jobDeathsPassedMax);
};

export const standingOf = async (
  records: JobRecords,
  parts: EndRunParts,
  jobId: string,
  job: Job,
): Promise<Outcome<Standing>> => {
  const id = firstJobId(jobId);
  const deaths = await records.deaths(id);
  if (!deaths.ok) return deaths;
  if (deaths.value === 0) return succeed({ kind: 'fine' });
  const read = await parts.sessions.read(job.session);
  // Removed in between.
  if (!read.ok) return read.error.error_type === 'not_found' ? succeed({ kind: 'fine' }) : read;
  const tools = runningTools(parts.limits, read.value.events);
  const atPlace = await records.notePlace(id, placeOf(tools, read.value.events));
  if (!atPlace.ok) return atPlace;
  const standing = judge(atPlace.value, tools.length > 0);
  if (standing.kind !== 'given_up') return succeed(standing);
  const { here } = atPlace.value;
  const message = `${here} workers died with this message at the same place${tools.length > 0 ? `, while ${tools.join(' and ')} ran` : ''}. It is not tried again by itself.`;
  const ended = await appendToSession(parts, job.session, (state, known) =>
    endingOf(parts, state, known, job, message),
  );
  if (!ended.ok) return ended;
  const { session, command, model } = job;
  const failed = await records.fail({ job: id, session, command, model, message, deaths: deaths.value });
  return failed.ok ? succeed(standing) : failed;
};

const runningTools = (limits: Limits, events: readonly Event[]): string[] =>
  fold(limits, events).entries.flatMap(({ status, call }) => (status === 'running' ? [call.name] : []));

/**
 * The tools that were running, whichever call of them it was; without one, the last event. Words of an answer are none: each
 * try brings some before it dies.
 */
const placeOf = (tools: readonly string[], events: readonly Event[]): string =>
  tools.length > 0
    ? `tools ${tools.toSorted().join(' ')}`
    : `event ${events.findLast(({ type }) => type !== 'answer_streamed')?.seq ?? 0}`;

const endingOf = async (
  parts: EndRunParts,
  state: ReturnType<typeof fold>,
  known: KnownLog,
  { command }: Job,
  message: string,
): Promise<EventBody[]> => {
  const end = { type: 'run_stopped', reason: 'error', name: 'run_failed', message } as const;
  if (state.phase !== 'idle') return endOfRun(parts, { state, known }, end, message);
  // A message that was not even taken: it is kept with what came of it.
  if (command.type !== 'send_message' || stands(command, known.events)) return [];
  const { type: _type, ...content } = command;
  return [{ type: 'user_message_added', ...content }, { type: 'model_failed', code: 'run_failed', message }, end];
};
