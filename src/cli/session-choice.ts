/** From `--continue`, `--session`, `--fork` and `--no-session` to the session that is meant. */

import type { Agent, OpenSessionOptions } from '../agent/create-agent.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { ofFolder } from '../core/session-folder.ts';
import { sessionToOpen } from '../storage/find-session.ts';
import { checkSessionId } from '../storage/session-format.ts';
import type { FlagValues } from './flags.ts';
import { type Io, UsageError } from './io.ts';
import { readingLine } from './reading-line.ts';
import { sessionNamed, tellOpened } from './session-access.ts';

/** Before anything is opened or fetched. */
export const checkSessionFlags = (flags: FlagValues, command?: string): void => {
  if (flags.session !== undefined && flags.continue) {
    throw new UsageError('--session and --continue exclude each other.', command);
  }
  if (flags.fork && flags.session === undefined && !flags.continue) {
    throw new UsageError('--fork copies the session of --session or --continue; name one.', command);
  }
  if (flags.fork && flags['no-session']) throw new UsageError('--fork and --no-session exclude each other.', command);
};

/** Asked before a model is looked for: a wrong name is reported at once. `isThere`: it is about what is there already. */
export const sessionChoice = async (
  halter: Agent,
  flags: FlagValues,
  io: Io,
  isThere = false,
): Promise<Outcome<OpenSessionOptions>> => {
  const common: OpenSessionOptions = {
    ...(flags['no-session'] ? { keep: false } : {}),
    ...(flags.fork ? { fork: true } : {}),
  };
  if (flags.continue) {
    const reading = readingLine(io);
    const last = await halter.sessions.list({ ...ofFolder(halter.folder), limit: 1, onReading: reading.show });
    reading.clear();
    if (!last.ok) return last;
    if (last.value.length === 0) {
      if (flags.fork) return failure('not_found', 'This folder has no session that could be copied.');
      if (isThere) return failure('not_found', 'This folder has no session yet, so there is nothing to make room in.');
      if (!flags.quiet) io.stderr.write('halter: this folder has no session yet, so a new one begins\n');
    }
    return succeed({ ...common, continueLast: true });
  }
  if (flags.session === undefined) return succeed(common);
  // A copy needs something to copy; else an id that is not there yet begins a session of that name.
  const word = flags.session;
  const found =
    flags.fork || isThere
      ? await sessionNamed(halter, word, io, flags.quiet)
      : tellOpened(await sessionToOpen(halter.sessions, word), word, { io, quiet: flags.quiet });
  // A new session cannot have this name: the command line is wrong, and not the store.
  if (!found.ok && !flags.fork && !checkSessionId(flags.session).ok) throw new UsageError(found.error.message);
  return found.ok ? succeed({ ...common, id: found.value }) : found;
};
