/** Files that the conversation saw and that hold something else by now: somebody else changed them, or they are gone. */
import type { Event, EventOf } from '../../core/events.ts';
import { knownFiles, toldChanges } from '../../core/known-files.ts';
import type { Workspace } from '../../core/ports.ts';
import { AGENT_LIMITS } from '../limits.ts';

type Changes = NonNullable<EventOf<'user_message_added'>['files_changed']>;

/** Each change is told once. Of many files the ones that were seen last are looked at; large ones are not. */
export const changedFiles = async (
  workspace: Pick<Workspace, 'readFile'>,
  path: readonly Event[],
): Promise<Changes> => {
  const told = toldChanges(path);
  const known = [...knownFiles(path)].slice(-AGENT_LIMITS.watchedFiles);
  const changeOf = async ([name, hash]: [name: string, hash: string]): Promise<Changes> => {
    const read = await workspace.readFile(name, { maxBytes: AGENT_LIMITS.watchedFileBytes });
    if (!read.ok && read.error.error_type !== 'not_found') return [];
    const now = read.ok ? read.value.hash : null;
    return now !== hash && told.get(name) !== now ? [{ path: name, hash: now }] : [];
  };
  // Together, since the threads that read would sleep and wake between any two.
  return (await Promise.all(known.map(changeOf))).flat();
};
