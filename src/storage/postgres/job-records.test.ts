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
    must(await jobs.endTrial('s/1'));
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
    // What died before it says nothing of it.
    expect(await at('elsewhere')).toEqual({ here: 1, own: 0, others: 0 });
  });
});
