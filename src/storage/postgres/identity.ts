/**
 * Which database this is. A backup that is restored is another one, and what was done after the backup was made is not in
 * its logs: a call that was open in them may have been carried out since.
 */
import { type Outcome, succeed } from '../../core/outcome.ts';
import type { Database } from './database.ts';
import { LOCK_CLASS, MIGRATION_LOCK } from './locks.ts';

/** `copied_to`: up to this event the log came with a backup; 0 where it did not. */
export const IDENTITY_TABLE = `
  CREATE TABLE halter.identity (place text NOT NULL);
  ALTER TABLE halter.sessions ADD COLUMN copied_to bigint NOT NULL DEFAULT 0;
`;

/** No dump carries these: the numbers of the database and of a table, and the server's own where one may ask for it. */
export const placeOf = (table: string, may: boolean | undefined): string =>
  `(SELECT oid FROM pg_database WHERE datname = current_database()) || '/' || '${table}'::regclass::oid ${may ? SERVER : ''}`;
export const MAY_ASK = `SELECT has_function_privilege('pg_control_system()', 'EXECUTE') AS may`;
const SERVER = `|| '/' || (SELECT system_identifier FROM pg_control_system())`;

/** Some roles may not ask for the server's own number: then what both know decides. */
export const isSamePlace = (one: string, other: string): boolean =>
  `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`);

/** Where this is another database than the one that the logs were written in, each log is marked as far as it goes. */
export const noteCopy = async (database: Database): Promise<Outcome<void>> => {
  const asked = await database.query<{ may: boolean }>({ text: MAY_ASK });
  if (!asked.ok) return asked;
  const found = await database.query<{ place: string; known: string | null }>({
    text: `SELECT ${placeOf('halter.sessions', asked.value.rows[0]?.may)} AS place, (SELECT place FROM halter.identity) AS known`,
  });
  if (!found.ok) return found;
  const { place = '', known } = found.value.rows[0] ?? {};
  if (known !== null && known !== undefined && known.length >= place.length && isSamePlace(place, known))
    return succeed(undefined);
  return database.transaction(async (ask) => {
    await ask({ text: 'SELECT pg_advisory_xact_lock($1, $2)', values: [LOCK_CLASS, MIGRATION_LOCK] });
    const [now] = await ask<{ place: string }>({ text: 'SELECT place FROM halter.identity' });
    // Another process was here first.
    if (now?.place === place) return;
    if (now !== undefined && !isSamePlace(place, now.place))
      await ask({ text: 'UPDATE halter.sessions SET copied_to = last_seq' });
    await ask({ text: 'DELETE FROM halter.identity' });
    await ask({ text: 'INSERT INTO halter.identity (place) VALUES ($1)', values: [place] });
  });
};
