/** For which folders a worker is there, as the database knows it. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { describePostgres, usePostgres } from '../../../tests/support/postgres.ts';
import { openPostgres } from '../postgres.ts';
import { DATABASE_IS_NEW } from './lease.ts';

const postgres = usePostgres();

describePostgres('the folders that workers serve', () => {
  it('are those of workers that are there: a killed or frozen one serves none from that moment on', async () => {
    verifies('B12');
    const name = 'served';
    const opened = await openPostgres({ url: await postgres().url(name) });
    if (!opened.ok) throw new Error(opened.error.message);
    onTestFinished(() => opened.value.close());
    const { members } = opened.value;
    await vi.waitFor(async () => expect(await postgres().sql(`SELECT ${DATABASE_IS_NEW}`, name)).toBe('false'), {
      timeout: 30_000,
    });
    expect(await members.self(['/own'])).toMatchObject({ ok: true });
    const lease = (number: number, ageMs: number, application: string, folder: string) =>
      postgres().sql(
        `INSERT INTO halter.leases (number, renewed_at, application, works, folders)
           VALUES (${number}, clock_timestamp() - interval '${ageMs} milliseconds', ${application}, true, ARRAY['${folder}'])`,
        name,
      );
    await lease(901, 0, "'halter that was killed'", '/killed');
    await lease(902, 3_000, 'NULL', '/frozen');
    await lease(903, 0, 'NULL', '/of an earlier halter');
    await postgres().sql(
      "UPDATE halter.leases SET renewed_at = clock_timestamp() + interval '1 minute' WHERE number = 903",
      name,
    );
    const served = await members.served();
    expect(served.ok && [...served.value].sort()).toEqual(['/of an earlier halter', '/own']);
  });
});
