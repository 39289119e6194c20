/**
 * A PostgreSQL of the tests' own: a fresh data folder, a Unix socket, no port, and nothing switched off that makes it keep
 * its word. It refuses to run as root, so there it runs as `nobody`.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;
const REMOVE_TRIES = 40;
const REMOVE_PAUSE_MS = 50;
const READY = 'database system is ready to accept connections';
/** What a socket's path may be long, less the name of the socket. */
const SOCKET_FOLDER_CHARACTERS = 80;

const programs = (): string | undefined => {
  const versions = '/usr/lib/postgresql';
  const debian = fs.existsSync(versions)
    ? fs
        .readdirSync(versions)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => path.join(versions, version, 'bin'))
    : [];
  const folders = [...debian, ...(process.env['PATH'] ?? '').split(path.delimiter)];
  return folders.find((folder) => ['initdb', 'postgres'].every((name) => fs.existsSync(path.join(folder, name))));
};
const PROGRAMS = programs();
/** The folder of its programs: pg_dump and others. */
export const POSTGRES_PROGRAMS = PROGRAMS ?? '';
const ordinary = isRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];

/** Why there is none here, and what to do about it; undefined where there is one. */
export const NO_POSTGRES: string | undefined =
  PROGRAMS === undefined
    ? 'PostgreSQL is not installed: apt-get install postgresql'
    : isRoot && spawnSync('setpriv', ['--version']).status !== 0
      ? 'PostgreSQL does not run as root, and setpriv is not there: apt-get install util-linux'
      : undefined;

/** Why the extension pgvector is not there; undefined where it is. The program works without it. */
export const NO_PGVECTOR: string | undefined = (() => {
  if (NO_POSTGRES !== undefined) return NO_POSTGRES;
  const asked = (what: string): string =>
    spawnSync(path.join(POSTGRES_PROGRAMS, 'pg_config'), [what], { encoding: 'utf8' }).stdout?.trim() ?? '';
  const folder = path.join(asked('--sharedir'), 'extension');
  const version = /\d+/.exec(asked('--version'))?.[0];
  return fs.existsSync(path.join(folder, 'vector.control'))
    ? undefined
    : `pgvector is not installed for PostgreSQL ${version}: apt-get install postgresql-${version}-pgvector or, on Debian 12, .ci/pgvector ${version}`;
})();

/** In every connection string, so that a test can look for where it must not stand. The server asks for none. */
export const PASSWORD = 'the-password-of-the-tests';

export type TestPostgres = {
  /** Of a database of that name, made at the first need. */
  url(database?: string): Promise<string>;
  /** What an administrator would type. */
  sql(text: string, database?: string): Promise<string>;
  /** `fast`: connections are ended in order. `immediate`: as in a crash; the log is played back at the start. */
  stop(how?: 'fast' | 'immediate'): Promise<void>;
  start(): Promise<void>;
  /** Ends it and removes everything of it. */
  remove(): Promise<void>;
};

/** The files of a server that has never run, in a folder that whoever runs it may read. */
export const makeData = async (folder: string): Promise<string> => {
  fs.chmodSync(folder, 0o755);
  if (isRoot) fs.chownSync(folder, NOBODY, NOBODY);
  const data = path.join(folder, 'data');
  await runToEnd('initdb', ['-D', data, '-U', 'halter', '--auth=trust', '--encoding=UTF8', '--no-locale'], folder);
  return data;
};

/** `template`: what `makeData` made, which is copied; made anew where absent. */
export const startPostgres = async (
  settings: Readonly<Record<string, string>> = {},
  template?: string,
): Promise<TestPostgres> => {
  if (PROGRAMS === undefined) throw new Error(NO_POSTGRES);
  const temporary = fs.realpathSync(os.tmpdir());
  const parent = temporary.length < SOCKET_FOLDER_CHARACTERS - 20 ? temporary : '/tmp';
  const folder = fs.mkdtempSync(path.join(parent, 'halter-pg-'));
  if (isRoot) fs.chownSync(folder, NOBODY, NOBODY);
  const data = path.join(folder, 'data');
  if (template === undefined) await makeData(folder);
  else await runToEnd('cp', ['-R', template, data], folder);

  let server: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const given = Object.entries({
      listen_addresses: '',
      unix_socket_directories: folder,
      // One call for the whole disk after a crash, and not one for each of thousands of files.
      recovery_init_sync_method: 'syncfs',
      ...settings,
    });
    const child = spawn(
      ...command('postgres', ['-D', data, ...given.flatMap(([key, value]) => ['-c', `${key}=${value}`])]),
      {
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    server = child;
    process.once('exit', killIt);
    await said(child, READY);
  };
  /** Where nobody came to remove it in order. */
  const killIt = (): void => {
    server?.kill('SIGQUIT');
    for (let tries = 0; tries < REMOVE_TRIES && fs.existsSync(folder); tries += 1) {
      try {
        fs.rmSync(folder, { recursive: true, force: true });
      } catch {
        // Its processes still write; they end when they see that the first of them is gone.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, REMOVE_PAUSE_MS);
      }
    }
  };
  const stop = async (how: 'fast' | 'immediate' = 'fast'): Promise<void> => {
    const child = server;
    server = undefined;
    process.removeListener('exit', killIt);
    if (child === undefined || child.exitCode !== null) return;
    const closed = once(child, 'close');
    child.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await closed;
  };
  const known = new Set(['postgres']);
  const sql = async (text: string, database = 'postgres'): Promise<string> => {
    const { default: pg } = await import('pg');
    const client = new pg.Client({ host: folder, user: 'halter', database });
    await client.connect();
    try {
      const answers = [await client.query({ text, rowMode: 'array' })].flat();
      const { rows } = answers.at(-1) ?? { rows: [] };
      return (rows as unknown[][]).map((row) => row.join('|')).join('\n');
    } finally {
      await client.end();
    }
  };
  await start();
  return {
    async url(database = 'postgres') {
      if (!known.has(database)) await sql(`CREATE DATABASE ${database}`);
      known.add(database);
      return `postgres://halter:${PASSWORD}@localhost/${database}?host=${encodeURIComponent(folder)}`;
    },
    sql,
    stop,
    start,
    async remove() {
      await stop('immediate');
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
};

const command = (name: 'initdb' | 'postgres' | 'cp', args: readonly string[]): [string, string[]] => {
  const file = name === 'cp' ? name : path.join(PROGRAMS ?? '', name);
  const [program, ...rest] = [...ordinary, file, ...args];
  return [program as string, rest];
};

const runToEnd = (name: 'initdb' | 'cp', args: readonly string[], cwd: string): Promise<void> =>
  ended(spawn(...command(name, args), { cwd, stdio: ['ignore', 'ignore', 'pipe'] }));

const ended = async (child: ChildProcess): Promise<void> => {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${child.spawnfile} ended with ${code}: ${text}`);
};

const said = (child: ChildProcess, wanted: string): Promise<void> =>
  new Promise((resolve, reject) => {
    let text = '';
    // What it says later is read as well, so that its pipe never fills.
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      if (text.includes(wanted)) return;
      text += chunk;
      if (text.includes(wanted)) resolve();
    });
    child.once('close', () => reject(new Error(`PostgreSQL ended: ${text}`)));
  });
