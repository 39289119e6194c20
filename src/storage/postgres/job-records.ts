/** Jobs that processes died with, and those that were given up for it. */
import type { Command } from '../../core/events.ts';
import { succeed } from '../../core/outcome.ts';
import type { DeathsAtPlace, FailedJob, JobRecords } from '../../core/storage-port.ts';
import { STORAGE_LIMITS } from '../limits.ts';
import type { Database } from './database.ts';

/** Jobs that are tried alone, each by one process; `in_trial`: a death in such a trial, or with nothing else in work. */
export const TRIAL_TABLES = `
  CREATE TABLE halter.trials (
    job text COLLATE "C" PRIMARY KEY,
    process integer NOT NULL
  );
  ALTER TABLE halter.deaths ADD COLUMN in_trial boolean NOT NULL DEFAULT false;
`;

type FailedRow = {
  job: string;
  session: string;
  command: Command;
  model: string | null;
  message: string;
  deaths: number;
  at: string;
};

export const createJobRecords = (database: Database): JobRecords => ({
  async noteDeaths(deaths) {
    const noted = await database.query({
      text: `
        WITH dead AS (SELECT * FROM unnest($1::text[], $2::text[], $3::integer[]) AS dead (job, session, process)),
          tried AS (DELETE FROM halter.trials USING dead
            WHERE trials.job = dead.job AND trials.process = dead.process RETURNING trials.job)
        INSERT INTO halter.deaths (job, session, process, in_trial)
        SELECT job, session, process,
          EXISTS (SELECT FROM tried WHERE tried.job = dead.job) OR count(*) OVER (PARTITION BY process) = 1
        FROM dead JOIN halter.sessions ON id = session AND opener = process
        ON CONFLICT DO NOTHING`,
      values: [
        deaths.map(({ job }) => job),
        deaths.map(({ session }) => session),
        deaths.map((death) => death.process),
      ],
    });
    return noted.ok ? succeed(undefined) : noted;
  },
  async deaths(job) {
    const asked = await database.query<{ count: number }>({
      name: 'halter_deaths',
      text: 'SELECT count(*)::integer AS count FROM halter.deaths WHERE job = $1',
      values: [job],
    });
    return asked.ok ? succeed(asked.value.rows[0]?.count ?? 0) : asked;
  },
  async notePlace(job, place) {
    const asked = await database.query<DeathsAtPlace>({
      text: `
        WITH noted AS (UPDATE halter.deaths SET place = $2 WHERE job = $1 AND place IS NULL RETURNING in_trial, at),
          here AS (SELECT * FROM noted UNION ALL SELECT in_trial, at FROM halter.deaths WHERE job = $1 AND place = $2)
        SELECT count(*)::integer AS here, (count(*) FILTER (WHERE in_trial))::integer AS own,
          (SELECT count(DISTINCT process) FROM halter.deaths
            WHERE at > (SELECT min(at) FROM here)
              AND process NOT IN (SELECT process FROM halter.deaths WHERE job = $1))::integer AS others
        FROM here`,
      values: [job, place],
    });
    return asked.ok ? succeed(asked.value.rows[0] ?? { here: 0, own: 0, others: 0 }) : asked;
  },
  async beginTrial(job, process) {
    const begun = await database.query({
      text: `
        INSERT INTO halter.trials (job, process) VALUES ($1, $2)
        ON CONFLICT (job) DO UPDATE SET process = excluded.process`,
      values: [job, process],
    });
    return begun.ok ? succeed(undefined) : begun;
  },
  async endTrial(job) {
    const ended = await database.query({ text: 'DELETE FROM halter.trials WHERE job = $1', values: [job] });
    return ended.ok ? succeed(undefined) : ended;
  },
  async fail({ job, session, command, model, message, deaths }) {
    const kept = await database.query({
      text: `
        INSERT INTO halter.failed_jobs (job, session, command, model, message, deaths)
        VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (job) DO NOTHING`,
      values: [job, session, JSON.stringify(command), model ?? null, message, deaths],
    });
    return kept.ok ? succeed(undefined) : kept;
  },
  async failed() {
    const asked = await database.query<FailedRow>({
      text: `
        SELECT job, session, command, model, message, deaths, (extract(epoch FROM at) * 1000)::bigint AS at
        FROM halter.failed_jobs ORDER BY halter.failed_jobs.at DESC LIMIT $1`,
      values: [STORAGE_LIMITS.failedJobsListed],
    });
    return asked.ok ? succeed(asked.value.rows.map(failedJobOf)) : asked;
  },
  async discard(job) {
    const removed = await database.query<{ job: string }>({
      text: `
        WITH gone AS (DELETE FROM halter.deaths WHERE job = $1)
        DELETE FROM halter.failed_jobs WHERE job = $1 RETURNING job`,
      values: [job],
    });
    return removed.ok ? succeed(removed.value.rows.length > 0) : removed;
  },
  async forget(before) {
    const removed = await database.query({
      text: `
        DELETE FROM halter.deaths WHERE at < to_timestamp($1 / 1000.0)
          AND NOT EXISTS (SELECT FROM halter.failed_jobs WHERE failed_jobs.job = deaths.job)`,
      values: [before],
    });
    return removed.ok ? succeed(undefined) : removed;
  },
});

const failedJobOf = ({ model, at, ...row }: FailedRow): FailedJob => ({
  ...row,
  model: model ?? undefined,
  at: Number(at),
});
