/** Jobs that processes died with, and those that were given up for it. */
import type { Command } from '../../core/events.ts';
import { succeed } from '../../core/outcome.ts';
import type { DeathsAtPlace, FailedJob, JobRecords } from '../../core/storage-port.ts';
import { STORAGE_LIMITS } from '../limits.ts';
import type { Database } from './database.ts';
import { isGone, removeDeadLeases } from './lease.ts';

/** Jobs that are tried alone, each by one process; `in_trial`: a death in such a trial, or with nothing else in work. */
export const TRIAL_TABLES = `
  CREATE TABLE halter.trials (
    job text COLLATE "C" PRIMARY KEY,
    process integer NOT NULL
  );
  ALTER TABLE halter.deaths ADD COLUMN in_trial boolean NOT NULL DEFAULT false;
`;

/** `explained`: the process died with a job that was given up. `works`: it takes jobs. */
export const DEATHS_EXPLAINED = `
  ALTER TABLE halter.deaths ADD COLUMN explained boolean NOT NULL DEFAULT false;
  ALTER TABLE halter.leases ADD COLUMN works boolean NOT NULL DEFAULT false;
`;

/**
 * Workers that died without the job and for no known reason, since some time before its first death at this place. One that
 * had nothing in work is known by its lease.
 */
const OTHERS = `
  WITH known AS (
      SELECT process, max(at) AS at, bool_or(job = $1 OR explained) AS is_accounted FROM halter.deaths GROUP BY process),
    since AS (SELECT min(at) - interval '${STORAGE_LIMITS.deathsBeforeMs} milliseconds' AS at FROM here)
  SELECT count(*) FROM (
    SELECT process FROM known, since WHERE NOT is_accounted AND known.at > since.at
    UNION ALL
    SELECT number FROM halter.leases AS worker, since
      WHERE works AND renewed_at > since.at AND number NOT IN (SELECT process FROM known) AND ${isGone('worker.number')}
  ) AS others`;

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
          (${OTHERS})::integer AS others
        FROM here`,
      values: [job, place],
    });
    return asked.ok ? succeed(asked.value.rows[0] ?? { here: 0, own: 0, others: 0 }) : asked;
  },
  async beginTrial(job, process) {
    const begun = await database.query({
      // A process has one at a time. That the one before ended is written by another statement, maybe later.
      text: `
        WITH before AS (DELETE FROM halter.trials WHERE process = $2 AND job <> $1)
        INSERT INTO halter.trials (job, process) VALUES ($1, $2)
        ON CONFLICT (job) DO UPDATE SET process = excluded.process`,
      values: [job, process],
    });
    return begun.ok ? succeed(undefined) : begun;
  },
  async endTrial(job, process) {
    const ended = await database.query({
      text: 'DELETE FROM halter.trials WHERE job = $1 AND process = $2',
      values: [job, process],
    });
    return ended.ok ? succeed(undefined) : ended;
  },
  async fail({ job, session, command, model, message, deaths }) {
    const kept = await database.query({
      text: `
        WITH explained AS (UPDATE halter.deaths SET explained = true
          WHERE process IN (SELECT process FROM halter.deaths WHERE job = $1))
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
      // What is known of its deaths stays: they say nothing of other jobs.
      text: 'DELETE FROM halter.failed_jobs WHERE job = $1 RETURNING job',
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
    if (!removed.ok) return removed;
    const tidied = await database.query({ text: removeDeadLeases('to_timestamp($1 / 1000.0)'), values: [before] });
    return tidied.ok ? succeed(undefined) : tidied;
  },
});

const failedJobOf = ({ model, at, ...row }: FailedRow): FailedJob => ({
  ...row,
  model: model ?? undefined,
  at: Number(at),
});
