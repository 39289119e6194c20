/** A session belongs to the folder that it began in: the same paths mean other files elsewhere. */
import type { Event } from './events.ts';
import { type Failure, failure } from './outcome.ts';

/**
 * The names of one folder: the real one, and the one that it was given, which may lead over links. Where machines share sessions, a name that
 * is a link here may be the real one elsewhere, so what compares the folder of a session asks for both.
 */
export type FolderNames = readonly [real: string, given: string];

/** For the list of the sessions of a folder. */
export const ofFolder = ([workspace, alias]: FolderNames): { workspace: string; alias: string } => ({
  workspace,
  alias,
});

/** Undefined where the log does not say it. */
export const folderOf = ([first]: readonly Event[]): string | undefined =>
  first?.type === 'session_started' ? first.workspace : undefined;

/**
 * Why a session is not gone on with in this folder; undefined where it may be. Every way to go on with a session,
 * to call tools for it or to take its changes back asks this; looking at it is possible from anywhere.
 */
export const refusedHere = (events: readonly Event[], id: string, here: FolderNames): Failure | undefined => {
  const folder = folderOf(events);
  if (folder === undefined || here.includes(folder)) return undefined;
  const message = `The session ${id} belongs to the folder ${folder}. Go on with it there, or take its words along: \`halter sessions export ${id} --format jsonl | halter sessions import -\`.`;
  return failure('validation_failed', message, 'other_folder').error;
};
