/** What becomes of an address of a database, without one. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { PASSWORD } from '../../tests/support/postgres.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { createEgressFile } from './egress-file.ts';
import { halterPaths } from './paths.ts';
import { databaseFailure } from './postgres/database.ts';
import { openPostgres, parseAddress } from './postgres.ts';
import { openStorage } from './storage.ts';

const thrown = (message: string, more: object = {}): Error => Object.assign(new Error(message), more);
const missing = { code: 'ENOENT', syscall: 'open' };

/** What the driver throws, and what a person has to read of it. */
const SAID: readonly [what: string, error: Error, words: RegExp][] = [
  ['a wrong password', thrown('x', { code: '28P01' }), /password; correct/],
  [
    'no such user, or none from here',
    thrown('x', { code: '28000' }),
    /no such user.*pg_hba\.conf.*sslmode=verify-full/,
  ],
  ['no such database', thrown('x', { code: '3D000' }), /createdb/],
  ['no right to make tables', thrown('x', { code: '42501' }), /right CREATE/],
  ['no right on tables that are there', thrown('x', { code: '42501' }), /rights on what is in the schemas/],
  ['a database that only reads', thrown('x', { code: '25006' }), /read-only; connect to the primary/],
  ['a full disk', thrown('x', { code: '53100' }), /make room/],
  ['no memory', thrown('x', { code: '53200' }), /run fewer processes/],
  ['no connection left', thrown('x', { code: '53300' }), /no connection left.*max_connections/],
  ['a server that starts', thrown('x', { code: '57P03' }), /Start PostgreSQL/],
  ['nobody at the address', thrown('x', { code: 'ECONNREFUSED' }), /Start PostgreSQL/],
  ['no socket', thrown('x', { code: 'ENOENT', syscall: 'connect' }), /Start PostgreSQL/],
  [
    'a file of certificates that is missing',
    thrown('ENOENT: no such file, open', missing),
    /sslrootcert.*no such file/,
  ],
  [
    'a folder in the place of one',
    thrown('EISDIR: illegal operation on a directory, read', { code: 'EISDIR', syscall: 'read' }),
    /sslrootcert.*cannot be read/,
  ],
  ['a server without TLS', thrown('The server does not support SSL connections'), /sslmode=disable/],
  ['a certificate of its own', thrown('self-signed', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }), /sslrootcert/],
  ['a certificate of nobody known', thrown('x', { code: 'SELF_SIGNED_CERT_IN_CHAIN' }), /sslrootcert/],
  ['a certificate that cannot be followed', thrown('x', { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }), /sslrootcert/],
  ['a certificate of another name', thrown('x', { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }), /another name/],
  ['a certificate that is over', thrown('x', { code: 'CERT_HAS_EXPIRED' }), /expired/],
];

describe('naming a database', () => {
  it.each(SAID)('%s is said in words that help', (_what, error, words) => {
    verifies('B12');
    const address = parseAddress(`postgres://u:${PASSWORD}@db.example/x`);
    if (!address.ok) throw new Error(address.error.message);
    const { message } = databaseFailure(address.value, error).error;
    expect(message).toMatch(words);
    expect(message).not.toContain(PASSWORD);
  });

  it('a certificate by another authority than the one that is named is said as that', () => {
    verifies('B12');
    const address = parseAddress('postgres://u@db.example/x?sslmode=verify-full&sslrootcert=/etc/ca.crt');
    if (!address.ok) throw new Error(address.error.message);
    const { message } = databaseFailure(address.value, thrown('x', { code: 'SELF_SIGNED_CERT_IN_CHAIN' })).error;
    expect(message).toMatch(/not by the authority in the file.*sslrootcert.*right one/);
  });

  it.each(['', 'nonsense', 'Require', 'verify-full&sslmode='])(
    'a mode of TLS that is none is refused, and never taken for none: sslmode=%s',
    (mode) => {
      verifies('B12');
      expect(parseAddress(`postgres://u:${PASSWORD}@h/x?sslmode=${mode}`)).toMatchObject({
        ok: false,
        error: { message: expect.stringMatching(/sslmode.*none of disable.*verify-full.*--database/) },
      });
    },
  );

  const MODES: [given: string, forTheDriver: string][] = [
    ['?sslmode=require', '?sslmode=verify-full'],
    ['?host=/run&sslmode=prefer&x=1', '?host=/run&sslmode=verify-full&x=1'],
    ['?sslmode=verify-ca&sslrootcert=/a', '?sslmode=verify-full&sslrootcert=/a'],
    ['?sslmode=verify-full', '?sslmode=verify-full'],
    ['?sslmode=no-verify', '?sslmode=no-verify'],
    ['?sslmode=disable', '?sslmode=disable'],
    ['?uselibpqcompat=true&sslmode=require', '?uselibpqcompat=true&sslmode=require'],
    ['', ''],
  ];
  it.each(MODES)('%s is given to the driver by the name that says what it does: %s', (given, forTheDriver) => {
    verifies('B12');
    expect(parseAddress(`postgres://u@h/x${given}`)).toMatchObject({
      ok: true,
      value: { url: `postgres://u@h/x${forTheDriver}` },
    });
  });

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
