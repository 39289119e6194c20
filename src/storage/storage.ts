/** Where everything of conversations is kept: in the files of one machine, or in a database that many share. */

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { OpenSharedIndex } from '../core/index-port.ts';
import type { ModelPlaces, PlaceCount } from '../core/model-places.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { JobRecords, Members, PolicyStore, SessionFeed, SessionStore } from '../core/storage-port.ts';
import { copyDocumentFiles, createDocumentFiles, type DocumentFiles, documentsFolder } from './document-files.ts';
import { createEgressFile, type EgressVerdict } from './egress-file.ts';
import { createMemoryStorage } from './memory-storage.ts';
import { type HalterPaths, promptStatesFolder } from './paths.ts';
import type { PinStore } from './pins.ts';
import { createPinsFile } from './pins-file.ts';
import { createPoliciesFile } from './policies-file.ts';
import type { DatabaseAddress } from './postgres/address.ts';
import { copyResultFiles, createResultFiles, type ResultFiles } from './result-files.ts';
import { createSessionFileFeed } from './session-file-feed.ts';
import { SessionFiles } from './session-files.ts';
import { createUndoFiles, type UndoFiles } from './undo-files.ts';

export type Storage = {
  /** Absent for files. */
  readonly address?: DatabaseAddress;
  readonly sessions: SessionStore;
  readonly policies: PolicyStore;
  /** Sessions that the person put in front of the others. */
  readonly pins: PinStore;
  readonly undo: UndoFiles;
  /** Results of a session that were too long for a model's window. */
  results(session: string): ResultFiles;
  /** Files that were put into a session; absent where nothing is kept. */
  documents?(session: string): DocumentFiles;
  /** A session that begins as a copy has what is kept beside the other one: its long results and its documents. */
  copyKept(from: string, to: string): Promise<void>;
  /** What other machines write, where several share a store. */
  readonly feed?: SessionFeed;
  /** What other programs of this machine write into the files. */
  readonly fileFeed?: SessionFeed;
  /** The processes that share it. */
  readonly members?: Members;
  /** Jobs that processes died with. */
  readonly jobs?: JobRecords;
  /** The indexes of folders, which all processes share; absent where each machine has its own in files. */
  readonly index?: OpenSharedIndex;
  /** The places at model servers, which all processes share. */
  places?(perServer: number): ModelPlaces;
  placeCounts?(): Promise<Outcome<PlaceCount[]>>;
  /** Whether the database answers now; absent where there is none. */
  ping?(): Promise<Outcome<void>>;
  close(): Promise<void>;
};

export type OpenStorageOptions = {
  /** Sessions, rules and the connection log in files. Absent: in memory, or in the database alone. */
  folders?: HalterPaths;
  /** `postgres://…`: instead of files. */
  database?: string;
  /** The connections to it are those of all agents of this process that share it. */
  shared?: boolean;
  /** Nothing but this machine is reached. */
  offline?: boolean;
};

export const openStorage = async ({
  folders,
  database,
  shared,
  offline,
}: OpenStorageOptions): Promise<Outcome<Storage>> => {
  if (database === undefined) return succeed(folders ? createFileStorage(folders) : createMemoryStorage());
  const { openPostgres, parseAddress } = await import('./postgres.ts');
  const address = parseAddress(database);
  if (!address.ok) return address;
  if (offline && !address.value.isLocal) {
    return failure(
      'validation_failed',
      `${address.value.text} is not on this machine, and halter was told to be offline`,
    );
  }
  const opened = shared
    ? await (await import('./postgres/shared.ts')).sharePostgres(database)
    : await openPostgres({ url: database });
  if (folders) noteConnection(folders, address.value, opened.ok ? 'connected' : 'failed');
  return opened;
};

/** In the ledger of connections, once for a program: those that follow go to the same place. */
const noteConnection = (paths: HalterPaths, address: DatabaseAddress, verdict: EgressVerdict): void => {
  if (address.host === undefined) return;
  const ledger = createEgressFile({ folder: paths.data, onProblem: () => {} });
  ledger.append({
    type: 'connection',
    id: 1,
    run: `${process.pid}-${randomBytes(4).toString('hex')}`,
    at: Date.now(),
    who: 'halter',
    method: 'CONNECT',
    scheme: 'postgres',
    host: address.host,
    port: address.port,
    verdict,
  });
};

export const createFileStorage = (paths: HalterPaths): Storage => {
  const sessions = new SessionFiles({ folder: paths.sessions, promptStates: promptStatesFolder(paths) });
  return { sessions, fileFeed: createSessionFileFeed(paths.sessions, sessions), ...filesBeside(paths) };
};

const filesBeside = (paths: HalterPaths): Omit<Storage, 'sessions'> => ({
  policies: createPoliciesFile({ folder: paths.config }),
  pins: createPinsFile({ folder: paths.data }),
  undo: createUndoFiles({ folder: paths.undo }),
  results: (session) => createResultFiles(join(paths.sessions, `${session}.results`)),
  documents: (session) => createDocumentFiles(documentsFolder(paths.sessions, session)),
  async copyKept(from, to) {
    await copyResultFiles(paths.sessions, from, to);
    await copyDocumentFiles(paths.sessions, from, to);
  },
  async close() {},
});
