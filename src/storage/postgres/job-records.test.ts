/** Deaths of jobs, as the database keeps them. */
import { expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { describePostgres, usePostgres } from '../../../tests/support/postgres.ts';
import type { Outcome } from '../../core/outcome.ts';
import { openPostgres } from '../postgres.ts';

const postgres = usePostgres();
const must = <T>(outcome: Outcome<T>): T => {
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.value;
};

describePostgres('the records of jobs', () => {
  it('counts the deaths of a job at one place, those in a trial of the job, and those without it', async () => {
    verifies('B12');
    const name = 'job_records';
    const storage = must(await openPostgres({ url: await postgres().url(name) }));
    onTestFinished(() => storage.close());
    const { sessions, jobs } = storage;
    for (const id of ['s', 'other']) {
      must(await sessions.create(id, [{ seq: 1, at: 1, type: 'user_message_added', content: 'do it' }]));
    }
    const die = async (session: string, process: number): Promise<void> => {
      await postgres().sql(`UPDATE halter.sessions SET opener = ${process} WHERE id = '${session}'`, name);
      must(await jobs.noteDeaths([{ job: `${session}/1`, session, process }]));
    };
    const at = async (place: string) => must(await jobs.notePlace('s/1', place));
    await die('s', 2);
    expect(await at('here')).toEqual({ here: 1, inTrial: 0, others: 0 });
    // A trial of another job, one that was outlived, and one by another process.
    must(await jobs.beginTrial('other/1', 3));
    must(await jobs.beginTrial('s/1', 3));
    must(await jobs.endTrial('s/1'));
    await die('s', 3);
    expect(await at('here')).toEqual({ here: 2, inTrial: 0, others: 0 });
    must(await jobs.beginTrial('s/1', 99));
    await die('s', 4);
    expect(await at('here')).toEqual({ here: 3, inTrial: 0, others: 0 });
    must(await jobs.beginTrial('s/1', 5));
    await die('s', 5);
    expect(await at('here')).toEqual({ here: 4, inTrial: 1, others: 0 });
    // Asked again, by a worker that has to tell it after the first one died: the same.
    expect(await at('here')).toEqual({ here: 4, inTrial: 1, others: 0 });
    // Workers that died without it since: each counts once, whatever it had in work, and none that it died with.
    await die('other', 7);
    must(await jobs.noteDeaths([{ job: 'other/2', session: 'other', process: 7 }]));
    await die('other', 5);
    expect(await at('here')).toEqual({ here: 4, inTrial: 1, others: 1 });
    // Of a process that did not have the session open, nothing is noted.
    must(await jobs.noteDeaths([{ job: 's/1', session: 's', process: 99 }]));
    expect(must(await jobs.deaths('s/1'))).toBe(4);
    await die('s', 6);
    // What died before it says nothing of it.
    expect(await at('elsewhere')).toEqual({ here: 1, inTrial: 0, others: 0 });
  });
});
