/**
 * A job that costs every worker its life must not take all of them: after two recoveries that ended at the same place of
 * the conversation, its run ends and the job is put on a list. Deaths at different places (machines that fail, kills) do
 * not count together, since the conversation goes on in between. Where workers die without the job as well, somebody
 * kills them, and its own deaths say less: it may have more of them, one for each.
 */
import type { Command, Event, EventBody } from '../core/events.ts';
import type { Limits } from '../core/limits.ts';
import { hasMessage } from '../core/message-key.ts';
import { type Outcome, succeed } from '../core/outcome.ts';
import { fold } from '../core/step.ts';
import type { JobRecords } from '../core/storage-port.ts';
import { appendToSession, type EndRunParts, endOfRun } from './end-run.ts';
import { firstJobId, type Job } from './jobs.ts';
import { CLUSTER_LIMITS } from './limits.ts';

type Message = Extract<Command, { type: 'send_message' }>;

/**
 * `given_up`: it is not begun again. `suspect`: one more death at this place, and it is given up; so that it takes no
 * innocent one along, no other suspect runs beside it.
 */
export type Standing = 'fine' | 'suspect' | 'given_up';

export const deathsAllowed = (others: number): number =>
  Math.min(CLUSTER_LIMITS.jobRecoveries + others, CLUSTER_LIMITS.jobRecoveriesMax);

export const standingOf = async (
  records: JobRecords,
  parts: EndRunParts,
  jobId: string,
  job: Job,
): Promise<Outcome<Standing>> => {
  const id = firstJobId(jobId);
  const deaths = await records.deaths(id);
  if (!deaths.ok) return deaths;
  if (deaths.value === 0) return succeed('fine');
  const read = await parts.sessions.read(job.session);
  // Removed in between.
  if (!read.ok) return read.error.error_type === 'not_found' ? succeed('fine') : read;
  const atPlace = await records.notePlace(id, placeOf(parts.limits, read.value.events));
  if (!atPlace.ok) return atPlace;
  const { here, others } = atPlace.value;
  const allowed = deathsAllowed(others);
  if (here <= allowed) return succeed(here === allowed ? 'suspect' : 'fine');
  const message = `${here} workers died with this message at the same place${whereOf(parts.limits, read.value.events)}. It is not tried again by itself.`;
  const ended = await appendToSession(parts, job.session, (state, events) =>
    endingOf(parts, state, events, job, message),
  );
  if (!ended.ok) return ended;
  const { session, command, model } = job;
  const failed = await records.fail({ job: id, session, command, model, message, deaths: deaths.value });
  return failed.ok ? succeed('given_up') : failed;
};

const runningTools = (limits: Limits, events: readonly Event[]): string[] =>
  fold(limits, events).entries.flatMap(({ status, call }) => (status === 'running' ? [call.name] : []));

/** The tools that were running, whichever call of them it was; without one, the last event. */
const placeOf = (limits: Limits, events: readonly Event[]): string => {
  const tools = runningTools(limits, events);
  return tools.length > 0 ? `tools ${tools.sort().join(' ')}` : `event ${events.at(-1)?.seq ?? 0}`;
};

const whereOf = (limits: Limits, events: readonly Event[]): string => {
  const tools = runningTools(limits, events);
  return tools.length > 0 ? `, while ${tools.join(' and ')} ran` : '';
};

const endingOf = (
  { clock }: EndRunParts,
  state: ReturnType<typeof fold>,
  events: readonly Event[],
  { command }: Job,
  message: string,
): EventBody[] => {
  const end = { type: 'run_stopped', reason: 'error', name: 'run_failed', message } as const;
  if (state.phase !== 'idle') return endOfRun(state, clock, end, message);
  // A message that was not even taken: it is kept with what came of it.
  if (command.type !== 'send_message' || stands(command, events)) return [];
  const { type: _type, ...content } = command;
  return [{ type: 'user_message_added', ...content }, { type: 'model_failed', code: 'run_failed', message }, end];
};

/** A message without a key is of a server of before. */
const stands = ({ content, idempotency_key: key }: Message, events: readonly Event[]): boolean =>
  key !== undefined
    ? hasMessage(events, key)
    : events.some(
        (event) => event.type === 'user_message_added' && JSON.stringify(event.content) === JSON.stringify(content),
      );
