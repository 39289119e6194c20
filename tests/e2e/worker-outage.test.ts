/** What whoever runs a worker reads of an outage of the database. */
import { expect, onTestFinished, test } from 'vitest';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { timeLimit } from '../support/long.ts';
import { describePostgres } from '../support/postgres.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { team, until } from '../support/workers.ts';

/** Each part of the queue that told of each of its tries made fifty. */
const LINES_MOST = 8;

describePostgres('an outage of the database', () => {
  test.each([
    ['in sentences', [], (line: string) => line.replace('halter: ', '')],
    ['in JSON', ['--log-format', 'json'], (line: string) => String(JSON.parse(line).message)],
  ] as const)(
    'is one line at its beginning and one at its end, %s',
    { timeout: timeLimit(180_000) },
    async (_, flags, textOf) => {
      verifies('B12');
      const postgres = await startPostgres();
      onTestFinished(() => postgres.remove());
      const url = await postgres.url('outage');
      const t = await team(url, () => ({ text: 'done' }));
      const worker = await t.worker(...flags);
      const before = worker.told().length;
      await postgres.stop('immediate');
      // Each looks for the database as long as a command does.
      for (let looks = 0; looks < 2; looks += 1)
        expect((await runHalter(['sessions', 'list', '--database', url])).code).toBe(1);
      await postgres.start();
      await worker.said('the database is back');
      const session = await t.session('after');
      expect(await session.send({ type: 'send_message', content: 'go' })).toEqual({ ok: true });
      await until(session, 'run_completed');
      await worker.said('done with after');
      const lines = worker.told().slice(before).trim().split('\n').map(textOf);
      const told = (what: RegExp): string[] => lines.filter((line) => what.test(line));
      expect(
        told(/^the database is away \(.*\); what needs it waits and is tried again$/),
        lines.join('\n'),
      ).toHaveLength(1);
      expect(told(/^the database is back after \d+ s$/)).toHaveLength(1);
      // Besides these what it does, and hardly a word more.
      expect(lines.length).toBeLessThanOrEqual(LINES_MOST);
    },
  );

  test('that is there and does not answer is told as well, and the worker goes on after it', {
    timeout: timeLimit(180_000),
  }, async () => {
    verifies('B12');
    const postgres = await startPostgres();
    onTestFinished(() => postgres.remove());
    const url = await postgres.url('locked');
    const t = await team(url, () => ({ text: 'done' }));
    const session = await t.session('after');
    const worker = await t.worker();
    const before = worker.told().length;
    const { default: pg } = await import('pg');
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query('BEGIN; LOCK TABLE halter_dbos.workflow_status IN ACCESS EXCLUSIVE MODE');
    await worker.said('the database does not answer in time: another session holds a lock');
    await other.query('ROLLBACK');
    await other.end();
    expect(await session.send({ type: 'send_message', content: 'go' })).toEqual({ ok: true });
    await until(session, 'run_completed');
    await worker.said('the database answers again');
    await worker.said('done with after');
    expect(worker.told().slice(before).trim().split('\n').length).toBeLessThanOrEqual(LINES_MOST);
  });
});
