/**
 * Statements to a PostgreSQL that may go away for a while. What was asked waits until it is back, within a named limit;
 * every statement that is sent here may be sent again, because nobody knows of a broken connection whether the
 * statement on it was carried out.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Failure, failure, type Outcome, succeed } from '../../core/outcome.ts';
import { thrownText } from '../../core/thrown-text.ts';
import { STORAGE_LIMITS } from '../limits.ts';
import type { DatabaseAddress } from './address.ts';
import {
  APPLICATION,
  answeredWithin,
  connectionOptions,
  LIMITS_OF_TRANSACTION,
  limitConnection,
  STATEMENT_LIMITS,
  type StatementLimits,
} from './connections.ts';
import type { Driver, Pool, PoolClient, QueryResultRow } from './driver.ts';

export type Statement = {
  text: string;
  values?: readonly unknown[];
  /** Kept prepared under this name. */
  name?: string;
  /** Waits so long for a database that is away, and not as long as usual. */
  waitMs?: number;
  /** Waits so long for an answer, and not as long as usual. */
  answerMs?: number;
};
export type Rows<Row> = {
  rows: Row[];
  /** It was sent more than once: an earlier sending may have been carried out. */
  repeated: boolean;
};
export type Ask = <Row extends QueryResultRow>(statement: Statement) => Promise<Row[]>;

export type Database = {
  readonly address: DatabaseAddress;
  query<Row extends QueryResultRow>(statement: Statement): Promise<Outcome<Rows<Row>>>;
  /** All of it or nothing. `work` runs again from the start after a broken connection. `limits`: others than usual. */
  transaction<T>(work: (ask: Ask, repeated: boolean) => Promise<T>, limits?: StatementLimits): Promise<Outcome<T>>;
  close(): Promise<void>;
};

export const openDatabase = (
  driver: Driver,
  address: DatabaseAddress,
  waitMs: number = STORAGE_LIMITS.databaseWaitMs,
  usual: StatementLimits = STATEMENT_LIMITS,
): Database => {
  const pool: Pool = new driver.default.Pool({
    ...connectionOptions(address, usual),
    onConnect: (client) => limitConnection(client, usual),
    // Others see by it whether connections of this process are there (lease.ts).
    application_name: `${APPLICATION} ${randomUUID()}`,
    max: STORAGE_LIMITS.databaseConnections,
    allowExitOnIdle: true,
  });
  // A connection that breaks while nobody uses it is not missed.
  pool.on('error', () => {});
  const closing = new AbortController();

  const persistently = async <T>(
    work: (repeated: boolean) => Promise<T>,
    limitMs: number = waitMs,
  ): Promise<Outcome<T>> => {
    const end = performance.now() + limitMs;
    for (let tries = 0, delay: number = STORAGE_LIMITS.databaseRetryMs; ; tries += 1) {
      if (closing.signal.aborted) return failure('io_error', `${address.text} was closed`, 'closed');
      try {
        return succeed(await work(tries > 0));
      } catch (error) {
        // What was stuck waited long already.
        const isOver = isStuck(error) || performance.now() + delay > end;
        if (isOver || !isAway(error)) return databaseFailure(address, error, limitMs);
      }
      await sleep(delay, undefined, { signal: closing.signal }).catch(() => {});
      delay = Math.min(delay * 2, STORAGE_LIMITS.databaseRetryMaxMs);
    }
  };

  return {
    address,
    query: <Row extends QueryResultRow>({ text, values = [], name, waitMs: limitMs, answerMs }: Statement) =>
      persistently(async (repeated) => {
        const query = { text, values: [...values], ...(name ? { name } : {}) };
        const { rows } = await pool.query<Row>(answeredWithin(query, answerMs));
        return { rows, repeated };
      }, limitMs),
    transaction: (work, limits) =>
      persistently(async (repeated) => {
        const client = await pool.connect();
        let broken = true;
        // It may end between two statements; the next one fails then.
        client.on('error', ignore);
        try {
          await client.query('BEGIN');
          if (limits !== undefined) await client.query(LIMITS_OF_TRANSACTION(limits));
          const done = await work(askOn(client, limits?.answerMs), repeated);
          await client.query('COMMIT');
          broken = false;
          return done;
        } finally {
          client.removeListener('error', ignore);
          // What is half done is undone by the end of its connection.
          client.release(broken);
        }
      }),
    async close() {
      if (closing.signal.aborted) return;
      closing.abort();
      await pool.end();
    },
  };
};

const ignore = (): void => {};

const askOn =
  (client: PoolClient, answerMs: number | undefined): Ask =>
  async <Row extends QueryResultRow>({ text, values = [] }: Statement) => {
    // Without values it may be several statements.
    const query = values.length === 0 ? { text } : { text, values: [...values] };
    return (await client.query<Row>(answeredWithin(query, answerMs))).rows;
  };

/** The driver's code, or one of ours: what it says of files and of TLS has none, or one that means something else. */
const codeOf = (error: unknown): string => {
  const { code, syscall, message } = error as { code?: unknown; syscall?: string; message?: string };
  // A folder can be opened, and not be read.
  if (syscall === 'open' || code === 'EISDIR') return 'NO_FILE';
  if (code === undefined && /does not support SSL/.test(message ?? '')) return 'NO_TLS';
  return String(code ?? '');
};
/** The server ends, starts, or is full; the connection broke, was ended as idle, or could not be made. */
const AWAY =
  /^(?:08...|57P0[1-5]|25P03|53300|ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/;
/** The driver says these without a code. */
const AWAY_WORDS =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|not queryable|connection timeout/i;
/** It is there, and a statement came to no end within its limits. */
const STUCK: Readonly<Record<string, string>> = {
  '55P03': `another session holds a lock on what is asked for. Look which one (SELECT pid, query FROM pg_stat_activity WHERE xact_start < now() - interval '20 seconds'), and end what it does or the session (SELECT pg_terminate_backend(pid))`,
  '57014':
    'a statement took too long, or somebody cancelled it. Look what the database is busy with (pg_stat_activity), and give it what it lacks',
  NO_ANSWER:
    'it takes connections, and a statement had no answer. Look whether its processes run and its disk answers, and whether a pooler or proxy before it passes statements on; restart the one that hangs',
};

const stuckCode = (error: unknown): string => {
  const isUnanswered = codeOf(error) === '' && (error as Error).message === 'Query read timeout';
  return isUnanswered ? 'NO_ANSWER' : codeOf(error);
};

/** It is there and did not answer in time: for whoever may ask again, as if it were away. */
export const isStuck = (error: unknown): boolean => Object.hasOwn(STUCK, stuckCode(error));
/** What it is stuck in, and what to do about it. */
export const stuckWords = (error: unknown): string => STUCK[stuckCode(error)] ?? '';
/** Nothing that is asked on this connection will be answered. */
export const isUnanswered = (error: unknown): boolean => stuckCode(error) === 'NO_ANSWER';

export const isAway = (error: unknown): boolean =>
  AWAY.test(codeOf(error)) || (codeOf(error) === '' && AWAY_WORDS.test((error as Error).message ?? ''));

const NOT_TRUSTED: [reason: string, words: string] = [
  'no_trust',
  'the certificate of the database is of nobody that this machine knows; name the file of its authority in the address (sslrootcert=FILE). It is checked in each sslmode but disable and no-verify',
];
const OTHER_AUTHORITY =
  'the certificate of the database is not by the authority in the file that its address names (sslrootcert); name the file of the right one';

const MEANING: Readonly<Record<string, [reason: string, words: string]>> = {
  '53100': ['disk_full', 'the disk of the database is full; make room there'],
  '53200': ['out_of_memory', 'the database is out of memory; run fewer processes, or give it more'],
  '25006': [
    'read_only',
    'the database is read-only; connect to the primary, or let it write again (default_transaction_read_only)',
  ],
  '42501': [
    'no_permission',
    'this user of the database may not do that; at the first start it needs the right CREATE on the database, and after it all rights on what is in the schemas halter and halter_dbos',
  ],
  '28P01': ['no_permission', 'the database refuses the user or the password; correct them in its address'],
  '28000': [
    'no_permission',
    'the database does not let the user in: there is no such user, or its pg_hba.conf has no line for it from here. Where that line wants TLS, add sslmode=verify-full to the address',
  ],
  '3D000': [
    'no_database',
    'there is no database of that name; make it with `createdb --encoding=UTF8 --template=template0`',
  ],
  ENOTFOUND: ['unreachable', 'there is no such host; correct the address of the database'],
  NO_FILE: ['no_file', 'a file that its address names (sslrootcert, sslcert, sslkey) cannot be read'],
  NO_TLS: ['no_tls', 'the database speaks no TLS; turn it on there, or write sslmode=disable where nobody listens'],
  SELF_SIGNED_CERT_IN_CHAIN: NOT_TRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: NOT_TRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: NOT_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: NOT_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NOT_TRUSTED,
  CERT_HAS_EXPIRED: ['no_trust', 'the certificate of the database has expired; renew it there'],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'no_trust',
    'the certificate of the database is for another name; connect by a name that it holds',
  ],
};

const START_IT =
  'Start PostgreSQL there, or correct the address (--database, HALTER_DATABASE_URL or the setting database).';
const NO_ROOM =
  'It has no connection left: raise max_connections there, run fewer processes, or connect through a pooler in session mode.';

/** What the database said, in words that tell a person what to do. Nothing of it holds the address that was given. */
export const databaseFailure = (
  address: DatabaseAddress,
  error: unknown,
  waitedMs: number = STORAGE_LIMITS.databaseWaitMs,
): { ok: false; error: Failure } => {
  const code = codeOf(error);
  if (isStuck(error)) {
    return failure('io_error', `${address.text} does not answer in time: ${stuckWords(error)}.`, 'unreachable');
  }
  if (isAway(error)) {
    return failure(
      'io_error',
      `${address.text} cannot be reached (${code || 'the connection broke'}); it was tried for ${waitedMs / 1000} seconds. ${code === '53300' ? NO_ROOM : START_IT}`,
      'unreachable',
    );
  }
  const [reason, meant] = MEANING[code] ?? ['database_error', thrownText(error)];
  const isNamed = new URL(address.url).searchParams.has('sslrootcert');
  const words = isNamed && meant === NOT_TRUSTED[1] ? OTHER_AUTHORITY : meant;
  const said = code === 'NO_FILE' || code === 'NO_TLS' ? thrownText(error) : code;
  return failure('io_error', `${address.text}: ${words}${said ? ` (${said})` : ''}`, reason);
};
