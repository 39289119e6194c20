/** Takes back changes of a session that nobody has open: no model is needed for it. */
import { changesOfAnswerLeft, openChanges, type RecordedChange } from '../../core/changes.ts';
import type { Event } from '../../core/events.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { type FolderNames, folderOf, refusedHere } from '../../core/session-folder.ts';
import { systemClock } from '../../io/clock.ts';
import { createWorkspace } from '../../io/workspace.ts';
import type { HalterPaths } from '../../storage/paths.ts';
import type { Storage } from '../../storage/storage.ts';
import { fencedUndo, type OnChange, type Undone, undoLast } from '../undo.ts';

export type KeptUndo = {
  /** What still stands of the answer whose newest change was taken back. */
  left(): RecordedChange[];
  undo(onChange?: OnChange): Promise<Outcome<readonly Undone[]>>;
  close(): Promise<void>;
};

type KeptSession = {
  id: string;
  /** The folder that the person is in; its changes are taken back there alone. */
  folder: FolderNames;
};

/** What can be taken back, the newest first; also of a session that is open elsewhere. */
export const keptChanges = async (
  storage: Storage,
  { id, folder }: KeptSession,
): Promise<Outcome<RecordedChange[]>> => {
  const read = await storage.sessions.read(id);
  if (!read.ok) return read;
  const elsewhere = refusedHere(read.value.events, id, folder);
  return elsewhere === undefined ? succeed(openChanges(read.value.events)) : { ok: false, error: elsewhere };
};

export const openKeptUndo = async (
  storage: Storage,
  paths: HalterPaths,
  session: KeptSession & { addDirs?: readonly string[] },
): Promise<Outcome<KeptUndo>> => {
  const opened = await storage.sessions.open(session.id);
  if (!opened.ok) return opened;
  const { log } = opened.value;
  const events: Event[] = [...opened.value.events];
  const elsewhere = refusedHere(events, session.id, session.folder);
  if (elsewhere !== undefined) {
    await log.close();
    return { ok: false, error: elsewhere };
  }
  const root = folderOf(events);
  const workspace =
    root === undefined
      ? failure('validation_failed', `The session ${session.id} does not say which folder it worked in.`)
      : await createWorkspace({
          root,
          additionalRoots: session.addDirs ?? [],
          protectedPaths: [paths.config, paths.data, paths.cache],
        });
  if (!workspace.ok) {
    await log.close();
    return workspace;
  }
  const ports = fencedUndo({
    workspace: workspace.value,
    files: storage.undo,
    log: () => events,
    async dispatch(body: Parameters<Parameters<typeof undoLast>[0]['dispatch']>[0]) {
      const event: Event = { seq: (events.at(-1)?.seq ?? 0) + 1, at: systemClock.now(), ...body };
      events.push(event);
      return (await log.append(event)).ok;
    },
    holds: async () => (await log.holds?.()) !== false,
  });
  return succeed({
    left: () => changesOfAnswerLeft(events),
    undo: (onChange) => undoLast(ports, onChange),
    close: log.close,
  });
};
