/** Which database this is, as processes with different rights know it. */
import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { describePostgres, usePostgres } from '../../../tests/support/postgres.ts';
import { openPostgres } from '../postgres.ts';
import { isSamePlace } from './identity.ts';

const postgres = usePostgres();

it.each([
  ['5/16384/77', '5/16384/77', true],
  ['5/16384/77', '5/16384', true],
  ['5/16384', '5/16384/77', true],
  ['5/16384/77', '5/16384/78', false],
  ['5/16384', '5/163845', false],
  ['5/16384', '6/16384/77', false],
])('%s and %s are the same database: %s', (one, other, isSame) => {
  verifies('B12');
  expect(isSamePlace(one, other)).toBe(isSame);
});

describePostgres('a database whose processes may not all ask for the number of the server', () => {
  it('is one, and no log of it is taken for that of a backup', async () => {
    verifies('B12');
    const name = 'rights';
    const url = await postgres().url(name);
    const start = async (role: string): Promise<void> => {
      const opened = await openPostgres({ url: url.replace('//halter:', `//${role}:`) });
      if (!opened.ok) throw new Error(opened.error.message);
      await opened.value.close();
    };
    await start('halter');
    await postgres().sql(
      `INSERT INTO halter.sessions (id, last_seq, version, created_at, updated_at) VALUES ('kept', 7, 1, 0, 0);
       CREATE ROLE plain LOGIN IN ROLE pg_read_all_data, pg_write_all_data;
       GRANT ALL ON SCHEMA halter TO plain;
       REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC`,
      name,
    );
    for (const role of ['plain', 'halter', 'plain']) await start(role);
    expect(await postgres().sql('SELECT max(copied_to) FROM halter.sessions', name)).toBe('0');
  });
});
