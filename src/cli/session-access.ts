/** What the commands about sessions have in common. No model and no workspace is opened for them. */

import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CopyPorts } from '../agent/session/copy-session.ts';
import type { EventBody } from '../core/events.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import { type Failure, type Outcome, succeed } from '../core/outcome.ts';
import { quotedName } from '../core/quoted-name.ts';
import type { FolderNames } from '../core/session-folder.ts';
import type { SessionStore } from '../core/storage-port.ts';
import { systemClock } from '../io/clock.ts';
import type { Config } from '../storage/config-file.ts';
import { findSession, type SessionToChange, sessionToChange, type sessionToOpen } from '../storage/find-session.ts';
import { openStorage, type Storage } from '../storage/storage.ts';
import { sanitizeLine } from '../terminal/sanitize.ts';
import type { CommandCode, Invocation } from './command-code.ts';
import { limitYoungGeneration } from './engine-flags.ts';
import type { ExitCode } from './exit-codes.ts';
import type { FlagValues } from './flags.ts';
import type { Io } from './io.ts';
import { pathsOf, readConfig, reportFailure } from './settings.ts';

/** A command on what the flags, the environment and the settings name; that is closed when the work is done. */
export const onStorage = (work: (invocation: Invocation, storage: Storage) => Promise<ExitCode>): CommandCode => ({
  async execute(invocation) {
    const { flags, io } = invocation;
    const config = await readConfig(io);
    if (!config.ok) return reportFailure(config.error, io);
    const database = databaseOf(flags, config.value, io);
    // Every line of a session is a string that is soon forgotten.
    limitYoungGeneration();
    const opened = await openStorage({
      folders: pathsOf(io),
      offline: config.value.offline ?? false,
      database,
    });
    if (!opened.ok) return reportFailure(opened.error, io);
    try {
      return await work(invocation, opened.value);
    } finally {
      await opened.value.close();
    }
  },
});

/** The database that is named, if any: a flag, else the environment, else the settings. */
export const databaseOf = (flags: FlagValues, config: Config, io: Io): string | undefined =>
  flags.database ?? (io.env['HALTER_DATABASE_URL'] || config.database);

/** By its id, by the beginning of it, or by its name, for what only looks at it. */
export const sessionNamed = async (
  { sessions }: { sessions: Pick<SessionStore, 'ids' | 'list'> },
  word: string,
  io: Io,
  quiet = false,
): Promise<Outcome<string>> => {
  const found = await findSession(sessions, word);
  return quiet ? found : tellTaken(found, word, io);
};

/** For what changes or deletes it: nothing that a person named is completed. */
export const sessionNamedWhole = async (
  { sessions }: Storage,
  word: string,
  folder: FolderNames,
): Promise<Outcome<SessionToChange>> => sessionToChange(sessions, word, folder);

/** The folder that the command is about. */
export const folderMeant = async (io: Io, directory = '.'): Promise<FolderNames> => {
  const given = resolve(io.cwd, directory);
  return [await realpath(given).catch(() => given), given];
};

/** Which session was taken, where it was not named whole. */
export const tellTaken = (found: Outcome<string>, word: string, io: Io): Outcome<string> => {
  if (found.ok && found.value !== word) {
    io.stderr.write(`halter: ${sanitizeLine(quotedName(word))} is the session ${found.value}\n`);
  }
  return found;
};

/** The same for `--session`, which may begin one beside another whose name is near. */
export const tellOpened = (
  found: Awaited<ReturnType<typeof sessionToOpen>>,
  word: string,
  { io, quiet }: { io: Io; quiet: boolean | undefined },
): Outcome<string> => {
  if (!found.ok) return found;
  const { id, isNew, near } = found.value;
  if (quiet) return succeed(id);
  if (!isNew) return tellTaken(succeed(id), word, io);
  if (near !== undefined) io.stderr.write(`halter: a new session ${id} begins; there is ${near}\n`);
  return succeed(id);
};

/** A failure to open a session in a command that has no --fork: what changes a session waits until it is closed. */
export const withoutCopy = (error: Failure, id: string): Failure =>
  error.reason === 'in_use'
    ? { ...error, message: `The session ${id} is open in another halter; close it there` }
    : error;

export const copyPorts = (storage: Storage): CopyPorts => ({
  storage,
  limits: DEFAULT_LIMITS,
  clock: systemClock,
});

/** One more fact in a session that nobody has open. */
export const appendToSession = async ({ sessions }: Storage, id: string, body: EventBody): Promise<Outcome<void>> => {
  const opened = await sessions.open(id);
  if (!opened.ok) return opened;
  const { log, events } = opened.value;
  const seq = (events.at(-1)?.seq ?? 0) + 1;
  const kept = await log.append({ seq, at: systemClock.now(), ...body });
  await log.close();
  return kept;
};
