/** What the commands about sessions have in common. No model and no workspace is opened for them. */
import type { EventBody } from '../core/events.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import type { Outcome } from '../core/outcome.ts';
import type { SessionStore } from '../core/storage-port.ts';
import { systemClock } from '../runtime/clock.ts';
import type { CopyPorts } from '../runtime/session/copy-session.ts';
import { findSession } from '../storage/find-session.ts';
import { createSessionFiles } from '../storage/session-files.ts';
import type { Io } from './io.ts';
import { pathsOf } from './settings.ts';

export const storeOf = (io: Io): SessionStore => createSessionFiles({ folder: pathsOf(io).sessions });

/** By its id, by the beginning of it, or by its name. */
export const sessionNamed = (io: Io, word: string): Promise<Outcome<string>> => findSession(storeOf(io), word);

export const copyPorts = (io: Io): CopyPorts => ({
  sessions: storeOf(io),
  sessionsFolder: pathsOf(io).sessions,
  limits: DEFAULT_LIMITS,
  clock: systemClock,
});

/** One more fact in a session that nobody has open. */
export const appendToSession = async (io: Io, id: string, body: EventBody): Promise<Outcome<void>> => {
  const opened = await storeOf(io).open(id);
  if (!opened.ok) return opened;
  const { log, events } = opened.value;
  const seq = (events.at(-1)?.seq ?? 0) + 1;
  const kept = await log.append({ seq, at: systemClock.now(), ...body });
  await log.close();
  return kept;
};
