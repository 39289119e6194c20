/** What becomes of an address of a database, without one. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { PASSWORD } from '../../tests/support/postgres.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { createEgressFile } from './egress-file.ts';
import { halterPaths } from './paths.ts';
import { openPostgres } from './postgres.ts';
import { openStorage } from './storage.ts';

describe('naming a database', () => {
  it('says what to install where the driver is missing', async () => {
    verifies('B12');
    const missing = () => Promise.reject(Object.assign(new Error('no'), { code: 'ERR_MODULE_NOT_FOUND' }));
    expect(await openPostgres({ url: 'postgres://localhost/x', load: missing })).toMatchObject({
      ok: false,
      error: { reason: 'not_installed', message: expect.stringContaining('npm install pg@') },
    });
  });

  it('is refused while halter is offline, unless it is on this machine, and is noted in the ledger', async () => {
    verifies('B12', 'B2');
    const paths = halterPaths({ HOME: scratchFolder() }, 'linux');
    const far = await openStorage({ folders: paths, offline: true, database: `postgres://u:${PASSWORD}@db.example/x` });
    expect(far).toMatchObject({ ok: false, error: { message: expect.stringContaining('offline') } });
    const near = await openStorage({
      folders: paths,
      offline: true,
      database: `postgres://u:${PASSWORD}@127.0.0.1:1/x`,
    });
    expect(near).toMatchObject({ ok: false, error: { reason: 'unreachable' } });
    const { entries } = createEgressFile({ folder: paths.data, onProblem: () => {} }).read();
    expect(entries).toMatchObject([
      { who: 'halter', scheme: 'postgres', host: '127.0.0.1', port: 1, verdict: 'failed' },
    ]);
    expect(JSON.stringify([far, near, entries])).not.toContain(PASSWORD);
  });

  it('never repeats the address, whatever is wrong with it', async () => {
    verifies('B12', 'H10');
    for (const url of [
      `mysql://u:${PASSWORD}@h/x`,
      `postgres://u:${PASSWORD}@h:99999999/x`,
      `${PASSWORD}`,
      `postgres://u:${PASSWORD}@no.such.host.invalid/x`,
    ]) {
      const opened = await openPostgres({ url });
      expect(opened.ok).toBe(false);
      expect(JSON.stringify(opened)).not.toContain(PASSWORD);
    }
  });
});
