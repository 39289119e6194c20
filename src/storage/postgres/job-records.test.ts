/** Deaths of jobs, as the database keeps them. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { describePostgres, usePostgres } from '../../../tests/support/postgres.ts';
import type { Outcome } from '../../core/outcome.ts';
import { openPostgres } from '../postgres.ts';
import { DATABASE_IS_NEW } from './lease.ts';
import { LOCK_CLASS } from './locks.ts';

const postgres = usePostgres();
let databases = 0;
const must = <T>(outcome: Outcome<T>): T => {
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.value;
};

describePostgres('the records of jobs', () => {
  it('counts the deaths of a job at one place, those that were its own, and those without it', async () => {
    verifies('B12');
    const name = 'job_records';
    const storage = must(await openPostgres({ url: await postgres().url(name) }));
    onTestFinished(() => storage.close());
    const { sessions, jobs } = storage;
    for (const id of ['s', 'beside', 'other']) {
      must(await sessions.create(id, [{ seq: 1, at: 1, type: 'user_message_added', content: 'do it' }]));
    }
    /** A process dies with these in work. */
    const die = async (process: number, ...all: string[]): Promise<void> => {
      for (const session of all) {
        await postgres().sql(`UPDATE halter.sessions SET opener = ${process} WHERE id = '${session}'`, name);
      }
      must(await jobs.noteDeaths(all.map((session) => ({ job: `${session}/1`, session, process }))));
    };
    const at = async (place: string) => must(await jobs.notePlace('s/1', place));
    await die(2, 's', 'beside');
    expect(await at('here')).toEqual({ here: 1, own: 0, others: 0 });
    // A trial of another job, one that was outlived, and one by another process.
    must(await jobs.beginTrial('other/1', 3));
    must(await jobs.beginTrial('s/1', 3));
    must(await jobs.endTrial('s/1', 3));
    await die(3, 's', 'beside');
    expect(await at('here')).toEqual({ here: 2, own: 0, others: 0 });
    must(await jobs.beginTrial('s/1', 99));
    await die(4, 's', 'beside');
    expect(await at('here')).toEqual({ here: 3, own: 0, others: 0 });
    must(await jobs.beginTrial('s/1', 5));
    await die(5, 's', 'beside');
    expect(await at('here')).toEqual({ here: 4, own: 1, others: 0 });
    // Asked again, by a worker that has to tell it after the first one died: the same.
    expect(await at('here')).toEqual({ here: 4, own: 1, others: 0 });
    // With nothing else in work.
    await die(6, 's');
    expect(await at('here')).toEqual({ here: 5, own: 2, others: 0 });
    // Workers that died without it since: each counts once, whatever it had in work, and none that it died with.
    await die(7, 'other');
    must(await jobs.noteDeaths([{ job: 'other/2', session: 'other', process: 7 }]));
    await die(5, 'other');
    expect(await at('here')).toEqual({ here: 5, own: 2, others: 1 });
    // Of a process that did not have the session open, nothing is noted.
    must(await jobs.noteDeaths([{ job: 's/1', session: 's', process: 99 }]));
    expect(must(await jobs.deaths('s/1'))).toBe(5);
    await die(8, 's', 'beside');
    // What it died of elsewhere says nothing of this place; a worker that died without it shortly before does.
    expect(await at('elsewhere')).toEqual({ here: 1, own: 0, others: 1 });
    await postgres().sql("UPDATE halter.deaths SET at = now() - interval '1 hour' WHERE process = 7", name);
    expect(await at('elsewhere')).toEqual({ here: 1, own: 0, others: 0 });
  });

  it('counts workers that died with nothing in work, and none that died with a job that was given up', async () => {
    verifies('B12');
    const name = 'job_records_given_up';
    const storage = must(await openPostgres({ url: await postgres().url(name) }));
    onTestFinished(() => storage.close());
    const { sessions, jobs } = storage;
    for (const id of ['killer', 'victim', 'next']) {
      must(await sessions.create(id, [{ seq: 1, at: 1, type: 'user_message_added', content: 'do it' }]));
    }
    const die = async (process: number, ...all: string[]): Promise<void> => {
      await postgres().sql(`UPDATE halter.sessions SET opener = ${process}`, name);
      must(await jobs.noteDeaths(all.map((session) => ({ job: `${session}/1`, session, process }))));
    };
    await die(2, 'killer', 'victim');
    await die(3, 'killer');
    await die(4, 'next');
    const at = async (job: string) => must(await jobs.notePlace(job, 'here'));
    expect(await at('next/1')).toEqual({ here: 1, own: 1, others: 2 });
    const command = { type: 'send_message', content: 'do it' } as const;
    must(await jobs.fail({ job: 'killer/1', session: 'killer', command, message: 'stopped', deaths: 2 }));
    expect(await at('next/1')).toEqual({ here: 1, own: 1, others: 0 });
    expect(must(await jobs.discard('killer/1'))).toBe(true);
    expect(await at('next/1')).toEqual({ here: 1, own: 1, others: 0 });

    await vi.waitUntil(async () => (await postgres().sql(`SELECT NOT ${DATABASE_IS_NEW}`)) === 'true', {
      timeout: 60_000,
    });
    const lease = (process: number, age: string, works: boolean): string =>
      `INSERT INTO halter.leases (number, renewed_at, works) VALUES (${process}, now() - interval '${age}', ${works});`;
    // One that died, one that lives, one long ago, one that takes no jobs, and one whose death is known.
    const leases = [lease(5, '5 s', true), lease(6, '-1 hour', true), lease(7, '1 hour', true), lease(8, '5 s', false)];
    await postgres().sql([...leases, lease(3, '5 s', true)].join(''), name);
    expect(await at('next/1')).toEqual({ here: 1, own: 1, others: 1 });
    await postgres().sql('UPDATE halter.sessions SET opener = NULL', name);
    must(await sessions.remove('killer'));
    expect(await at('next/1')).toEqual({ here: 1, own: 1, others: 1 });
  });

  it.each([
    { when: 'before its session is open', isOpen: false, ended: [], inTrial: '' },
    { when: 'in its trial', isOpen: true, ended: [], inTrial: 'true' },
    { when: 'after its trial', isOpen: true, ended: [['s/1', 5]], inTrial: 'false' },
    // It was frozen, was taken over from, and comes back.
    { when: 'in its trial, while an earlier worker ends its own', isOpen: true, ended: [['s/1', 4]], inTrial: 'true' },
    { when: 'in its trial, while another job ends its own', isOpen: true, ended: [['beside/1', 5]], inTrial: 'true' },
  ] satisfies { when: string; isOpen: boolean; ended: [string, number][]; inTrial: string }[])(
    'knows of a worker that is killed with a job whether that was its trial, whoever notes it: $when',
    async ({ isOpen, ended, inTrial }) => {
      verifies('B12');
      databases += 1;
      const name = `job_records_trial_${databases}`;
      const storage = must(await openPostgres({ url: await postgres().url(name) }));
      onTestFinished(() => storage.close());
      for (const id of ['s', 'beside']) {
        must(await storage.sessions.create(id, [{ seq: 1, at: 1, type: 'user_message_added', content: 'do it' }]));
      }
      must(await storage.jobs.beginTrial('s/1', 4));
      must(await storage.jobs.beginTrial('s/1', 5));
      for (const [job, process] of ended) must(await storage.jobs.endTrial(job, process));
      await postgres().sql(`UPDATE halter.sessions SET opener = 5 WHERE id = 'beside' OR ${isOpen}`, name);
      const dead = ['s', 'beside'].map((session) => ({ job: `${session}/1`, session, process: 5 }));
      // Several workers find it at once.
      for (const noted of await Promise.all([1, 2, 3].map(() => storage.jobs.noteDeaths(dead)))) must(noted);
      const found = await postgres().sql(`SELECT in_trial FROM halter.deaths WHERE job = 's/1'`, name);
      expect(found).toBe(inTrial);
      expect(await postgres().sql('SELECT count(*) FROM halter.trials', name)).toBe('0');
    },
  );

  it('holds a death against the trial that began last, also where the end of the one before is not written yet', async () => {
    verifies('B12');
    const name = 'job_records_two_trials';
    const storage = must(await openPostgres({ url: await postgres().url(name) }));
    onTestFinished(() => storage.close());
    for (const id of ['first', 'second', 'other']) {
      must(await storage.sessions.create(id, [{ seq: 1, at: 1, type: 'user_message_added', content: 'do it' }]));
    }
    must(await storage.jobs.beginTrial('other/1', 6));
    for (const session of ['first', 'second']) must(await storage.jobs.beginTrial(`${session}/1`, 5));
    await postgres().sql(`UPDATE halter.sessions SET opener = CASE id WHEN 'other' THEN 6 ELSE 5 END`, name);
    const dead = ['first', 'second'].map((session) => ({ job: `${session}/1`, session, process: 5 }));
    must(await storage.jobs.noteDeaths(dead));
    const found = await postgres().sql('SELECT job, in_trial FROM halter.deaths ORDER BY job', name);
    expect(found).toBe('first/1|false\nsecond/1|true');
    // Of another process.
    expect(await postgres().sql('SELECT job FROM halter.trials', name)).toBe('other/1');
  });

  it('forgets the leases of processes that were killed, and none that somebody may still be judged by', async () => {
    verifies('B12');
    const name = 'job_records_leases';
    const storage = must(await openPostgres({ url: await postgres().url(name) }));
    onTestFinished(() => storage.close());
    const { sessions, jobs } = storage;
    must(await sessions.create('s', [{ seq: 1, at: 1, type: 'user_message_added', content: 'do it' }]));
    const open = must(await sessions.open('s'));
    onTestFinished(() => open.log.close());
    // A process that is frozen keeps its lock, and is gone by its lease alone.
    const { default: pg } = await import('pg');
    const frozen = new pg.Client({ connectionString: await postgres().url(name) });
    await frozen.connect();
    onTestFinished(() => frozen.end());
    await frozen.query('SELECT pg_advisory_lock($1, 900004)', [LOCK_CLASS]);
    const own = await postgres().sql('SELECT number FROM halter.leases', name);
    expect(own).toMatch(/^\d+$/);
    await postgres().sql(
      `INSERT INTO halter.leases (number, renewed_at) VALUES
        (900001, now() - interval '2 days'), (900002, now() - interval '1 hour'), (900003, now() - interval '1 second'),
        (900004, now() - interval '2 days')`,
      name,
    );
    const left = async () =>
      (await postgres().sql('SELECT number FROM halter.leases ORDER BY number', name)).split('\n');
    must(await jobs.forget(Date.now() - 86_400_000));
    expect(await left()).toEqual([own, '900002', '900003', '900004']);
    // A clock that is days fast.
    must(await jobs.forget(Date.now() + 86_400_000));
    expect(await left()).toEqual([own, '900003', '900004']);
  });
});
