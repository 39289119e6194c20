/**
 * The tables, and how they came about. Each entry takes the database from one version to the next; entries are never
 * changed, only added. Several processes may come at once: one of them does it, under a lock of the database.
 *
 * An event is kept as `json` and not as `jsonb`: the text stays as it was written, with the order of its keys, which a
 * model's cache of the prompt depends on, and with characters that `jsonb` refuses. Sessions have a short number inside,
 * because it stands in every row and in every entry of the index.
 */

import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { STORAGE_LIMITS } from '../limits.ts';
import { MIGRATION_LIMITS } from './connections.ts';
import type { Ask, Database } from './database.ts';
import { DOCUMENT_TABLES } from './documents.ts';
import { IDENTITY_TABLE, noteCopy } from './identity.ts';
import { INDEX_TABLES } from './indexes/schema.ts';
import { DEATHS_EXPLAINED, TRIAL_TABLES } from './job-records.ts';
import { LOCK_CLASS, MIGRATION_LOCK } from './locks.ts';
import { PINS_TABLE } from './pins.ts';
import { PLACES_OF_THE_DEAD, PLACES_OF_THE_KILLED, PLACES_TABLES } from './places-tables.ts';

const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE halter.sessions (
    id text COLLATE "C" PRIMARY KEY,
    number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    version integer NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    last_seq bigint NOT NULL DEFAULT 0,
    message_count integer NOT NULL DEFAULT 0,
    fence bigint NOT NULL DEFAULT 0,
    opener integer,
    workspace text NOT NULL DEFAULT '',
    model text NOT NULL DEFAULT '',
    first_words text NOT NULL DEFAULT '',
    name text NOT NULL DEFAULT ''
  ) WITH (fillfactor = 70);
  CREATE INDEX sessions_by_workspace ON halter.sessions (workspace);
  CREATE TABLE halter.events (
    session bigint NOT NULL,
    seq bigint NOT NULL,
    body json NOT NULL,
    PRIMARY KEY (session, seq)
  );
  CREATE SEQUENCE halter.openers AS integer;
  CREATE TABLE halter.policies (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace text NOT NULL,
    tool text NOT NULL,
    pattern text,
    bound_to text,
    decision text NOT NULL CHECK (decision IN ('allow', 'deny')),
    created_at bigint NOT NULL
  );
  CREATE INDEX policies_by_workspace ON halter.policies (workspace);
  CREATE TABLE halter.results (
    session bigint NOT NULL,
    name text NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (session, name)
  );
  CREATE TABLE halter.undo (
    hash text COLLATE "C" PRIMARY KEY,
    size bigint NOT NULL,
    used_at timestamptz NOT NULL DEFAULT now(),
    content bytea NOT NULL
  );
  `,
  // Who a session and a rule belong to: everybody, until there are persons. The lease of progress of each process is
  // renewed every second and needs no disk.
  `
  ALTER TABLE halter.sessions ADD COLUMN owner text NOT NULL DEFAULT '';
  ALTER TABLE halter.policies ADD COLUMN owner text NOT NULL DEFAULT '';
  CREATE UNLOGGED TABLE halter.leases (
    number integer PRIMARY KEY,
    renewed_at timestamptz NOT NULL
  ) WITH (fillfactor = 50);
  CREATE TABLE halter.deaths (
    job text COLLATE "C" NOT NULL,
    process integer NOT NULL,
    session text COLLATE "C" NOT NULL,
    place text,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (job, process)
  );
  CREATE TABLE halter.failed_jobs (
    job text COLLATE "C" PRIMARY KEY,
    session text COLLATE "C" NOT NULL,
    command json NOT NULL,
    model text,
    message text NOT NULL,
    deaths integer NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
  );
  `,
  // Full text of what was said. The text of an event is taken as it stands, without reading it as JSON, which PostgreSQL
  // cannot do where it holds an escaped NUL. Escapes and punctuation part words.
  `
  CREATE FUNCTION halter.spoken(body json) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
      WHEN left(body::text, 200) ~ '"type":"(user_message_added|assistant_message_added|tool_finished)"' THEN
        to_tsvector('simple', translate(
          replace(replace(replace(left(body::text, ${STORAGE_LIMITS.spokenCharacters}), '\\n', ' '), '\\t', ' '), '\\r', ' '),
          '!"#$%&''()*+,-./:;<=>?@[\\]^_\`{|}~', repeat(' ', 32)))
      ELSE ''::tsvector
    END
  $$;
  CREATE INDEX events_by_words ON halter.events USING gin (halter.spoken(body));
  `,
  PLACES_TABLES,
  PLACES_OF_THE_DEAD,
  INDEX_TABLES,
  // What a part has of words on average: a long one has every word sooner.
  `ALTER TABLE halter.indexes ADD COLUMN average_words real NOT NULL DEFAULT 40`,
  // By which name its connections are known.
  `ALTER TABLE halter.leases ADD COLUMN application text; ${PLACES_OF_THE_KILLED}`,
  DOCUMENT_TABLES,
  TRIAL_TABLES,
  PINS_TABLE,
  DEATHS_EXPLAINED,
  // For which folders a worker takes jobs. Without it, as from a worker of before, nobody knows.
  `ALTER TABLE halter.leases ADD COLUMN folders text[]`,
  IDENTITY_TABLE,
];

const NEWEST = MIGRATIONS.length;

export const migrate = async (database: Database): Promise<Outcome<void>> => {
  const now = await database.query<{ there: boolean }>({
    text: `SELECT to_regclass('halter.migrations') IS NOT NULL AS there`,
    waitMs: STORAGE_LIMITS.databaseOpenMs,
  });
  if (!now.ok) return now;
  if (now.value.rows[0]?.there) {
    const found = await database.query<{ version: number }>({ text: VERSION });
    if (!found.ok) return found;
    if (found.value.rows[0]?.version === NEWEST) return noteCopy(database);
  }
  const done = await database.transaction((ask) => bringUp(ask, database.address.text), MIGRATION_LIMITS);
  const brought = done.ok ? done.value : done;
  return brought.ok ? noteCopy(database) : brought;
};

const VERSION = 'SELECT COALESCE(max(version), 0) AS version FROM halter.migrations';

const bringUp = async (ask: Ask, place: string): Promise<Outcome<void>> => {
  await ask({ text: 'SELECT pg_advisory_xact_lock($1, $2)', values: [LOCK_CLASS, MIGRATION_LOCK] });
  const [encoding] = await ask<{ server_encoding: string }>({ text: 'SHOW server_encoding' });
  if (encoding?.server_encoding !== 'UTF8') {
    return failure(
      'validation_failed',
      `${place} is encoded as ${encoding?.server_encoding}, and halter writes UTF-8. Make one with \`createdb --encoding=UTF8 --template=template0\`.`,
    );
  }
  await ask({ text: 'CREATE SCHEMA IF NOT EXISTS halter' });
  await ask({
    text: 'CREATE TABLE IF NOT EXISTS halter.migrations (version integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())',
  });
  const [{ version } = { version: 0 }] = await ask<{ version: number }>({ text: VERSION });
  if (version > NEWEST) {
    return failure(
      'parse_error',
      `${place} was set up by a newer halter (version ${version} of its tables, this one knows ${NEWEST}); it was left as it is. Start that halter again, or restore the backup that was made before the upgrade.`,
      'newer_version',
    );
  }
  for (const [index, text] of MIGRATIONS.entries()) {
    if (index < version) continue;
    await ask({ text });
    await ask({ text: 'INSERT INTO halter.migrations (version) VALUES ($1)', values: [index + 1] });
  }
  return succeed(undefined);
};
