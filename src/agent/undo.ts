/**
 * Takes changes of files back, the newest first (B6). A file is touched only where halter wrote it and it still holds what
 * halter wrote; where it changed since, nothing is done until the person has chosen what is to be.
 */
import { openChanges, type RecordedChange } from '../core/changes.ts';
import type { Command, Event, EventBody, UndoOutcome } from '../core/events.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { Workspace } from '../core/ports.ts';
import type { UndoFiles } from '../storage/undo-files.ts';
import { type Content, contentNow, standsAs, TOO_LARGE } from './undo/record.ts';

export type UndoPorts = {
  workspace: Workspace;
  files: UndoFiles;
  log(): readonly Event[];
  /** False, or a failure that was said elsewhere: the event was not kept. */
  dispatch(body: EventBody): Promise<boolean>;
};
export type OnChange = NonNullable<Extract<Command, { type: 'undo' }>['on_change']>;
export type Undone = { change: RecordedChange; how: UndoOutcome; beside?: string };

/** One step back. `not_found`: nothing is left to take back; `changed_since` and `not_kept` want a choice. */
export const undoLast = async (ports: UndoPorts, onChange: OnChange = 'refuse'): Promise<Outcome<Undone>> => {
  for (const change of openChanges(ports.log())) {
    const now = await contentNow(ports.workspace, change.path);
    if (!now.ok) return now;
    const { hash } = now.value;
    if (standsAs(hash) !== change.after) {
      // The call said that it changed nothing, so there is nothing of its to take back.
      if (change.succeeded !== true && hash === change.before) continue;
      if (change.succeeded === false) continue;
      // Somebody put it back already.
      if (hash === change.before && hash !== TOO_LARGE) {
        await record(ports, change, { how: 'left' });
        continue;
      }
    }
    const done = await takeBack(ports, change, now.value, onChange);
    if (!done.ok && done.error.reason === 'not_kept' && onChange === 'keep') return leave(ports, change);
    return done;
  }
  return failure('not_found', 'There is no change of a file left that could be taken back.', 'nothing_to_undo');
};

/** Whatever stands there is what the caller looked at; anything newer is refused. */
export const takeBack = (
  ports: UndoPorts,
  change: RecordedChange,
  now: Content,
  onChange: OnChange,
): Promise<Outcome<Undone>> =>
  standsAs(now.hash) === change.after ? putBack(ports, change, now) : byChoice(ports, change, now, onChange);

const byChoice = (
  ports: UndoPorts,
  change: RecordedChange,
  now: Content,
  onChange: OnChange,
): Promise<Outcome<Undone>> => {
  if (onChange === 'force') return force(ports, change, now);
  if (onChange === 'beside') return writeBeside(ports, change);
  if (onChange === 'keep') return leave(ports, change);
  const what = now.hash === null ? 'is not there any more' : 'changed since';
  const beside = change.before === null ? '' : `, beside (write its old content to ${besideName(change)})`;
  const message = `${change.path} ${what}, after ${change.tool} wrote it, so it was left as it is. Choose: keep (leave it and count this step as done), force (put the old content in its place)${beside}.`;
  return Promise.resolve(failure('validation_failed', message, 'changed_since'));
};

/** `now` is what the person was told about; anything newer is refused by its hash. */
const putBack = async (ports: UndoPorts, change: RecordedChange, now: Content): Promise<Outcome<Undone>> => {
  const { workspace } = ports;
  if (change.before === null) {
    if (now.hash === null) return record(ports, change, { how: 'removed' });
    const folders = change.folders ?? [];
    const removed = await workspace.removeFile(change.path, { expectedHash: now.hash, folders });
    return removed.ok ? record(ports, change, { how: 'removed' }) : removed;
  }
  const old = await oldContent(ports, change);
  if (!old.ok) return old;
  const written = await workspace.writeFile(change.path, old.value, { expectedHash: now.hash });
  if (!written.ok) return written;
  // The conversation knows the file as it was after the change, so the next edit reads it again first.
  workspace.markSeen(change.path, change.after);
  return record(ports, change, { how: 'restored' });
};

/** Even then nothing is lost: what stood there is put aside as well. */
const force = async (ports: UndoPorts, change: RecordedChange, now: Content): Promise<Outcome<Undone>> => {
  if (now.hash === TOO_LARGE) {
    return failure(
      'validation_failed',
      `${change.path} is too large by now to be replaced; remove it by hand`,
      'too_large',
    );
  }
  if (now.hash !== null && now.content) {
    const kept = await ports.files.keep(now.hash, now.content);
    if (!kept.ok) return kept;
  }
  return putBack(ports, change, now);
};

const writeBeside = async (ports: UndoPorts, change: RecordedChange): Promise<Outcome<Undone>> => {
  if (change.before === null) return leave(ports, change);
  const old = await oldContent(ports, change);
  if (!old.ok) return old;
  const beside = besideName(change);
  const written = await ports.workspace.writeFile(beside, old.value, { expectedHash: null });
  if (written.ok) return record(ports, change, { how: 'beside', beside });
  return written.error.reason === 'changed_since_read'
    ? failure('validation_failed', `${beside} is there already; move it away first`, 'exists')
    : written;
};

const besideName = (change: RecordedChange): string => `${change.path}.before-${change.seq}`;

const leave = (ports: UndoPorts, change: RecordedChange): Promise<Outcome<Undone>> =>
  record(ports, change, { how: 'left' });

const oldContent = async (ports: UndoPorts, change: RecordedChange): Promise<Outcome<Uint8Array>> => {
  const old = change.kept ? await ports.files.read(change.before as string) : undefined;
  if (old?.ok) return old;
  const why = old ? old.error.message : 'it was too large, or could not be put aside';
  return failure(
    'io_error',
    `What ${change.path} held before ${change.tool} wrote it cannot be put back: ${why}. Choose keep to leave it and go on.`,
    'not_kept',
  );
};

export const record = async (
  ports: UndoPorts,
  change: RecordedChange,
  done: { how: UndoOutcome; beside?: string; after?: string },
): Promise<Outcome<Undone>> => {
  await ports.dispatch({ type: 'change_undone', change_seq: change.seq, path: change.path, ...done });
  return succeed({ change, ...done });
};

/** For a person: "src/a.ts is again as it was before write_file". */
export const undoneText = ({ change, how, beside }: Undone): string => {
  if (how === 'removed') return `${change.path} was removed: ${change.tool} had created it`;
  if (how === 'left') return `${change.path} was left as it is`;
  if (how === 'partly') return `some lines of ${change.path} are again as they were before ${change.tool}`;
  if (how === 'beside') return `what ${change.path} held before ${change.tool} is now in ${beside}`;
  return `${change.path} is again as it was before ${change.tool}`;
};
