/** What many machines share: sessions, rules, old contents and long results, in one PostgreSQL. The same port as the files of one machine. */

import type { OpenSharedIndex } from '../core/index-port.ts';
import type { ModelPlaces, PlaceCount } from '../core/model-places.ts';
import { type Outcome, succeed } from '../core/outcome.ts';
import type { JobRecords, Members, PolicyStore, SessionFeed, SessionStore } from '../core/storage-port.ts';
import type { DocumentFiles } from './document-files.ts';
import { STORAGE_LIMITS } from './limits.ts';
import type { PinStore } from './pins.ts';
import { type DatabaseAddress, parseAddress } from './postgres/address.ts';
import type { StatementLimits } from './postgres/connections.ts';
import {
  copyPostgresResults,
  createPostgresResults,
  createPostgresUndo,
  type UndoLimits,
} from './postgres/contents.ts';
import { openDatabase } from './postgres/database.ts';
import { copyPostgresDocuments, createPostgresDocuments } from './postgres/documents.ts';
import { type Driver, loadDriver } from './postgres/driver.ts';
import { PostgresFeed } from './postgres/feed.ts';
import { GoneSince } from './postgres/gone-since.ts';
import { createPostgresIndexes } from './postgres/indexes.ts';
import { createJobRecords } from './postgres/job-records.ts';
import { Lease } from './postgres/lease.ts';
import { createMembers } from './postgres/members.ts';
import { createPostgresPins } from './postgres/pins.ts';
import { countPlaces, PostgresPlaces } from './postgres/places.ts';
import { createPostgresPolicies } from './postgres/policies.ts';
import { PubSub } from './postgres/pub-sub.ts';
import { createEventReader } from './postgres/read-events.ts';
import { migrate } from './postgres/schema.ts';
import { PostgresSessions } from './postgres/sessions.ts';
import type { ResultFiles } from './result-files.ts';
import type { UndoFiles } from './undo-files.ts';

export { parseAddress };

export type PostgresOptions = {
  /** `postgres://user:password@host:5432/name`; never shown and never kept. */
  url: string;
  /** Milliseconds since 1970, for what is made. */
  now?(): number;
  /** How long a statement waits for a database that is away. */
  waitMs?: number;
  /** How long a statement waits for a lock and for an answer. */
  limits?: StatementLimits;
  undo?: UndoLimits;
  /** What a longer event is left out by. */
  eventBytes?: number;
  load?(): Promise<Driver>;
};

export type PostgresStorage = {
  readonly address: DatabaseAddress;
  readonly sessions: SessionStore;
  readonly policies: PolicyStore;
  readonly pins: PinStore;
  readonly undo: UndoFiles;
  results(session: string): ResultFiles;
  documents(session: string): DocumentFiles;
  copyKept(from: string, to: string): Promise<void>;
  readonly feed: SessionFeed;
  readonly members: Members;
  readonly jobs: JobRecords;
  /** The indexes of folders, of all processes. */
  readonly index: OpenSharedIndex;
  /** Of all processes; so many requests are sent from here to a server at a time. */
  places(perServer: number): ModelPlaces;
  placeCounts(): Promise<Outcome<PlaceCount[]>>;
  ping(): Promise<Outcome<void>>;
  close(): Promise<void>;
};

/** Connects, brings the tables up to date, and fails where that cannot be. */
export const openPostgres = async (options: PostgresOptions): Promise<Outcome<PostgresStorage>> => {
  const address = parseAddress(options.url);
  if (!address.ok) return address;
  const driver = await loadDriver(options.load);
  if (!driver.ok) return driver;
  const database = openDatabase(driver.value, address.value, options.waitMs, options.limits);
  const ready = await migrate(database);
  if (!ready.ok) {
    await database.close();
    return ready;
  }
  const pubSub = new PubSub(driver.value, address.value, options.limits);
  const read = createEventReader(database, options.eventBytes);
  const lease = new Lease(database);
  const goneSince = new GoneSince();
  const places = new Map<number, { places: PostgresPlaces; close(): Promise<void> }>();
  /** Places are given to a number, so those that count differently stand in the tables as two. */
  const newPlaces = (perServer: number) => {
    if (places.size === 0) {
      const first = new PostgresPlaces({ database, pubSub, lease, perServer });
      return { places: first, close: () => first.close() };
    }
    const own = { pubSub: new PubSub(driver.value, address.value, options.limits), lease: new Lease(database) };
    const further = new PostgresPlaces({ database, ...own, perServer });
    const close = async (): Promise<void> => {
      await further.close();
      await own.lease.end();
      await own.pubSub.close();
    };
    return { places: further, close };
  };
  const feed = new PostgresFeed(database, pubSub, read);
  return succeed({
    address: address.value,
    sessions: new PostgresSessions({ database, pubSub, lease, goneSince, read, now: options.now ?? Date.now }),
    policies: createPostgresPolicies(database),
    pins: createPostgresPins(database),
    undo: createPostgresUndo(database, options.undo),
    results: (session) => createPostgresResults(database, session),
    documents: (session) => createPostgresDocuments(database, session),
    async copyKept(from, to) {
      await copyPostgresResults(database, from, to);
      await copyPostgresDocuments(database, from, to);
    },
    feed,
    members: createMembers({ database, pubSub, lease, goneSince }),
    jobs: createJobRecords(database),
    index: createPostgresIndexes(database),
    places(perServer) {
      const known = places.get(perServer) ?? newPlaces(perServer);
      places.set(perServer, known);
      return known.places;
    },
    placeCounts: () => countPlaces(database),
    async ping() {
      const asked = await database.query({ text: 'SELECT 1', waitMs: 0, answerMs: STORAGE_LIMITS.databasePingMs });
      return asked.ok ? succeed(undefined) : asked;
    },
    async close() {
      for (const known of places.values()) await known.close();
      feed.close();
      await lease.end();
      await pubSub.close();
      await database.close();
    },
  });
};
