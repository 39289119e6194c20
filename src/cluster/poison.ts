/**
 * A job that costs every worker its life must not take all of them: after two recoveries that ended at the same place of
 * the conversation, its run ends and the job is put on a list. Deaths at different places (machines that fail, kills) do
 * not count together, since the conversation goes on in between.
 */
import type { Event, EventBody } from '../core/events.ts';
import type { Limits } from '../core/limits.ts';
import { type Outcome, succeed } from '../core/outcome.ts';
import { fold } from '../core/step.ts';
import type { JobRecords } from '../core/storage-port.ts';
import { appendToSession, type EndRunParts, endOfRun } from './end-run.ts';
import { firstJobId, type Job } from './jobs.ts';
import { CLUSTER_LIMITS } from './limits.ts';

/** Says whether the job was given up, so that it is not begun again. */
export const giveUpPoison = async (
  records: JobRecords,
  parts: EndRunParts,
  jobId: string,
  job: Job,
): Promise<Outcome<boolean>> => {
  const id = firstJobId(jobId);
  const deaths = await records.deaths(id);
  if (!deaths.ok) return deaths;
  if (deaths.value === 0) return succeed(false);
  const read = await parts.sessions.read(job.session);
  if (!read.ok) return read;
  const atPlace = await records.notePlace(id, placeOf(parts.limits, read.value.events));
  if (!atPlace.ok) return atPlace;
  if (atPlace.value <= CLUSTER_LIMITS.jobRecoveries) return succeed(false);
  const message = `${atPlace.value} workers died with this message at the same place${whereOf(parts.limits, read.value.events)}. It is not tried again by itself.`;
  const ended = await appendToSession(parts, job.session, (state, events) =>
    endingOf(parts, state, events, job, message),
  );
  if (!ended.ok) return ended;
  const { session, command, model } = job;
  const failed = await records.fail({ job: id, session, command, model, message, deaths: deaths.value });
  return failed.ok ? succeed(true) : failed;
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
  if (command.type !== 'send_message' || events.some((event) => isMessage(event, command.content))) return [];
  const { type: _type, ...content } = command;
  return [{ type: 'user_message_added', ...content }, { type: 'model_failed', code: 'run_failed', message }, end];
};

const isMessage = (event: Event, content: unknown): boolean =>
  event.type === 'user_message_added' && JSON.stringify(event.content) === JSON.stringify(content);
