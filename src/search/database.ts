/**
 * One index file for one workspace, which several halters may have open. It can always be made again, so a file that is
 * damaged or of another version is rebuilt, and that is reported.
 */

import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, DatabaseSyncOptions } from 'node:sqlite';
import { asSentence } from '../core/error-text.ts';
import { thrownText } from '../core/thrown-text.ts';
import { FolderError, PLACE_ADVICE } from '../disk/disk-failure.ts';
import { makeFolder } from '../disk/make-folder.ts';
import { SEARCH_LIMITS } from './limits.ts';
import { INDEX_VERSION, SCHEMA } from './schema.ts';

export type OpenedIndex = { database: DatabaseSync; notes: string[] };

const SETTINGS = `
PRAGMA busy_timeout = ${SEARCH_LIMITS.indexBusyTimeoutMs};
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA cache_size = -32000;
PRAGMA wal_autocheckpoint = 8000;
PRAGMA temp_store = MEMORY;
`;

/** Words by which SQLite says that a file is no sound database; anything else (a full disk, a lock) is no reason. */
const DAMAGED = /malformed|not a database|disk image|corrupt|vtable constructor failed/i;
export const isDamaged = (error: unknown): boolean => error instanceof Error && DAMAGED.test(error.message);

/** What a person can do about an error of the index's file; anything else is reported as it is. */
export const problemOf = (error: unknown, file: string): string => {
  const message = thrownText(error);
  if (/disk is full/i.test(message)) {
    return `The disk is full, so the index (${file}) was not written further. What it has stays usable; make room and index again.`;
  }
  if (/is locked/i.test(message)) {
    return `Another program keeps the index (${file}) locked; it was waited for ${SEARCH_LIMITS.indexBusyTimeoutMs / 1000} s. What it has can be read meanwhile.`;
  }
  // It says which folder, why, and what to do.
  if (error instanceof FolderError) return `The index (${file}) cannot be written: ${message}`;
  if (/readonly|unable to open|permission denied|EACCES|EROFS/i.test(message)) {
    return `The index (${file}) cannot be written: ${asSentence(message)} ${PLACE_ADVICE}`;
  }
  return `The index (${file}) could not be made: ${message}`;
};

const removeFiles = (file: string): void => {
  for (const ending of ['', '-wal', '-shm']) rmSync(file + ending, { force: true });
};

/** Whoever wants to know what happened can look at it; the next one that is damaged takes its place. */
const putAside = (file: string): void => {
  rmSync(`${file}.bad`, { force: true });
  if (existsSync(file)) renameSync(file, `${file}.bad`);
  removeFiles(file);
};

const DAMAGED_NOTE = 'The index was damaged and is rebuilt.';

/** Named here alone: a bundler puts an import at the front of a program, which then does not start where Node has no SQLite. */
const openFile = (file: string, options: DatabaseSyncOptions = {}): DatabaseSync => {
  const sqlite = process.getBuiltinModule('node:sqlite');
  if (sqlite === undefined)
    throw new Error(
      `An index needs node:sqlite, which Node ${process.versions.node} does not have. Use Node 22.13 or newer.`,
    );
  return new sqlite.DatabaseSync(file, options);
};

const connect = (file: string): DatabaseSync => {
  // SQLite would make it readable for everybody whom the folder lets in.
  closeSync(openSync(file, 'a', 0o600));
  const database = openFile(file);
  try {
    database.exec(SETTINGS);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

const versionOf = (database: DatabaseSync): number =>
  Number((database.prepare('PRAGMA user_version').get() as { user_version: number }).user_version);

const prepareTables = (database: DatabaseSync): void => {
  if (versionOf(database) === INDEX_VERSION) return;
  // Two halters may begin at once: the second finds the work of the first.
  database.exec(`BEGIN IMMEDIATE;${SCHEMA}PRAGMA user_version = ${INDEX_VERSION};COMMIT;`);
};

/** Looks through the file; what is torn shows here and not in the middle of an answer. */
const isSound = (database: DatabaseSync): boolean => {
  const rows = database.prepare('PRAGMA quick_check(1)').all() as { quick_check?: string }[];
  return rows[0]?.quick_check === 'ok';
};

/** For writing. A damaged file, or one of an old version, is rebuilt. */
export const openIndex = (file: string): OpenedIndex => {
  makeFolder(dirname(file));
  const notes: string[] = [];
  for (;;) {
    let database: DatabaseSync | undefined;
    try {
      database = connect(file);
      const version = versionOf(database);
      if (version !== 0 && version !== INDEX_VERSION) {
        notes.push(`The index was of another version (${version}) and is rebuilt.`);
      } else {
        prepareTables(database);
        if (isSound(database)) return { database, notes };
        notes.push(DAMAGED_NOTE);
      }
    } catch (error) {
      if (!isDamaged(error) || notes.length > 2) {
        database?.close();
        throw error;
      }
      notes.push(DAMAGED_NOTE);
    }
    database?.close();
    if (notes.length > 2) throw new Error(`${file} cannot be rebuilt`);
    if (notes.at(-1) === DAMAGED_NOTE) putAside(file);
    else removeFiles(file);
  }
};

/** For asking. Undefined where there is no index of this version, or none that can be read. */
export const openForReading = (file: string): DatabaseSync | undefined => {
  let database: DatabaseSync | undefined;
  try {
    database = openFile(file, { readOnly: true });
    database.exec(`PRAGMA busy_timeout = ${SEARCH_LIMITS.indexBusyTimeoutMs}; PRAGMA cache_size = -16000;`);
    if (versionOf(database) === INDEX_VERSION) return database;
  } catch {
    // There is none, or it is damaged: whoever writes next rebuilds it.
  }
  database?.close();
  return undefined;
};
