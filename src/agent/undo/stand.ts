/** What stands in the place of a change, held against what the change left there and what it had found. */
import type { RecordedChange } from '../../core/changes.ts';
import type { EventOf } from '../../core/events.ts';
import { type Outcome, succeed } from '../../core/outcome.ts';
import type { Workspace } from '../../core/ports.ts';
import { type Content, contentNow, entryNow, REMOVED, standsAs } from './record.ts';

/** In place of the hash of a file that its owner may not read. */
const UNREADABLE = 'unreadable';

/** A command's change is one of the place itself; a tool may have written through a link. */
export const isOfCommand = ({ after, mode_after, link_after, folder_after }: Change): boolean =>
  after === REMOVED || mode_after !== undefined || link_after !== undefined || folder_after === true;

export const standing = async (workspace: Workspace, change: Change): Promise<Outcome<Content>> => {
  const { path } = change;
  const now = await (isOfCommand(change) ? entryNow : contentNow)(workspace, path);
  if (now.ok || now.error.reason !== 'access_denied') return now;
  const entry = await workspace.entry(path);
  if (!entry.ok || entry.value.kind !== 'file') return now;
  const { mode } = entry.value;
  return succeed({ hash: UNREADABLE, ...(mode === undefined ? {} : { mode }) });
};

type Change = EventOf<'change_recorded'>;

/** Only the permissions of the file changed. */
export const isOfModeAlone = ({ before, after, mode_before, mode_after }: Change): boolean =>
  before === after && mode_before !== undefined && mode_after !== undefined && mode_before !== mode_after;

export const isAsLeft = ({ hash, mode, link, isFolder }: Content, change: Change): boolean => {
  if (isOfModeAlone(change)) return hash !== null && mode === change.mode_after;
  if (change.folder_after && !isFolder) return false;
  return standsAs(hash) === change.after && link === change.link_after;
};

export const isAsFound = ({ hash, mode, link, isFolder }: Content, change: Change): boolean => {
  const { before, mode_before, mode_after } = change;
  if (isOfModeAlone(change)) return hash !== null && mode === mode_before;
  if (link !== change.link_before || (change.folder_before ?? false) !== (isFolder ?? false)) return false;
  return (
    hash === before && (mode === undefined || mode_after === undefined || mode === mode_before || mode !== mode_after)
  );
};

/**
 * The permissions with which the file goes back; undefined: with those that it has. What somebody else gave it since stays,
 * unless it `isForced`.
 */
export const modeToGive = (change: Change, now: Content, isForced: boolean): number | undefined =>
  now.hash === null || now.mode === change.mode_after || (isForced && isOfModeAlone(change))
    ? change.mode_before
    : undefined;

/** Changes that follow on each other, the newest first, as one. */
export const asOneChange = (changes: readonly RecordedChange[]): RecordedChange => {
  const [newest] = changes as readonly [RecordedChange, ...RecordedChange[]];
  const { before, kept, folders, mode_before, link_before, folder_before } = changes.at(-1) as RecordedChange;
  // What was there before a file was made anew says nothing about it.
  const made = changes.findIndex((change) => change.before === null);
  const mode_after = (made < 0 ? changes : changes.slice(0, made + 1)).find(
    (change) => change.mode_after !== undefined,
  )?.mode_after;
  const { folders: _, mode_before: __, mode_after: ___, link_before: ____, folder_before: _____, ...rest } = newest;
  return {
    ...rest,
    before,
    kept,
    ...(folders ? { folders } : {}),
    ...(mode_before === undefined ? {} : { mode_before }),
    ...(mode_after === undefined ? {} : { mode_after }),
    ...(link_before === undefined ? {} : { link_before }),
    ...(folder_before ? { folder_before } : {}),
  };
};
