/** A session belongs to the folder that it began in: the same paths mean other files elsewhere. */
import type { Event } from './events.ts';
import { type Failure, failure } from './outcome.ts';

/** Undefined where the log does not say it. */
export const folderOf = ([first]: readonly Event[]): string | undefined =>
  first?.type === 'session_started' ? first.workspace : undefined;

/**
 * Why a session is not gone on with in a folder of these names, the real one first; undefined where it may be. Every way to go on with a session,
 * to call tools for it or to take its changes back asks this; looking at it is possible from anywhere.
 */
export const refusedHere = (events: readonly Event[], id: string, root: string, alias = root): Failure | undefined => {
  const folder = folderOf(events);
  if (folder === undefined || folder === root || folder === alias) return undefined;
  const message = `The session ${id} belongs to the folder ${folder}. Go on with it there, or take its words along: \`halter sessions export ${id} --format jsonl | halter sessions import -\`.`;
  return failure('validation_failed', message, 'other_folder').error;
};
