/**
 * Takes changes of files back, the newest first (B6). A file is touched only where halter wrote it and it still holds what
 * halter wrote; where it changed since, nothing is done until the person has chosen what is to be.
 */
import { openChanges, type RecordedChange } from '../core/changes.ts';
import type { Command, Event, EventBody, UndoOutcome } from '../core/events.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { Workspace } from '../core/ports.ts';
import type { UndoFiles } from '../storage/undo-files.ts';
import {
  besideName,
  changedText,
  choicesText,
  hasOldContent,
  type Offers,
  offersOf,
  oldContent,
  type Standing,
} from './undo/choices.ts';
import { type Content, NOT_KEPT, TOO_LARGE } from './undo/record.ts';
import { isAsFound, isAsLeft, isOfCommand, isOfModeAlone, modeToGive, standing } from './undo/stand.ts';

export type UndoPorts = {
  workspace: Workspace;
  files: UndoFiles;
  log(): readonly Event[];
  /** False, or a failure that was said elsewhere: the event was not kept. */
  dispatch(body: EventBody): Promise<boolean>;
  /** False: another process goes on with the session, so nothing is written here. */
  holds(): Promise<boolean>;
};
export type UndoCommand = Extract<Command, { type: 'undo' }>;
export type OnChange = NonNullable<UndoCommand['on_change']>;
export type Undone = { change: RecordedChange; how: UndoOutcome; beside?: string };

export const NOTHING_TO_UNDO = failure(
  'not_found',
  'There is no change of a file left that could be taken back.',
  'nothing_to_undo',
);

/**
 * One step back: the newest change, and with it the others of the same call, since half of what a command did would be
 * worse than nothing. `nothing_to_undo`: nothing is left; `changed_since` and `not_kept` want a choice.
 */
export const undoLast = async (
  ports: UndoPorts,
  onChange: OnChange = 'refuse',
): Promise<Outcome<readonly Undone[]>> => {
  const call = await lastCall(ports);
  return call.ok ? undoCall(ports, call.value, onChange) : call;
};

/** Every open change of the call that is taken back next. */
const lastCall = async (ports: UndoPorts): Promise<Outcome<readonly RecordedChange[]>> => {
  const open = openChanges(ports.log());
  for (const newest of open) {
    const stands = await standsNow(ports, newest);
    if (!stands.ok) return stands;
    if (stands.value !== undefined) return succeed(open.filter((each) => each.tool_call_id === newest.tool_call_id));
  }
  return NOTHING_TO_UNDO;
};

/** What can be done with that call. */
export const offersNext = async (ports: UndoPorts): Promise<Offers> => {
  const call = await lastCall(ports);
  const left = call.ok ? await leftOf(ports, call.value) : call;
  return left.ok ? offersOf(ports, left.value) : { force: false, beside: false };
};

/** All changes of one call, the newest first, or none of them. */
const undoCall = async (
  ports: UndoPorts,
  changes: readonly RecordedChange[],
  onChange: OnChange,
): Promise<Outcome<readonly Undone[]>> => {
  if (onChange === 'refuse') {
    const refused = await refusalOf(ports, changes);
    if (refused) return refused;
  }
  const done: Undone[] = [];
  for (const change of changes) {
    const stands = await standsNow(ports, change);
    if (!stands.ok) return stands;
    if (stands.value === undefined) continue;
    const step = await takeBack(ports, change, stands.value, onChange);
    const isLeft = !step.ok && step.error.reason === 'not_kept' && onChange === 'keep';
    const settled = isLeft ? await leave(ports, change) : step;
    if (!settled.ok) return settled;
    done.push(settled.value);
  }
  return succeed(done);
};

/** Of files that changed since, or cannot go back: the person chooses before anything is taken back. */
const refusalOf = async (ports: UndoPorts, changes: readonly RecordedChange[]): Promise<Outcome<never> | undefined> => {
  const left = await leftOf(ports, changes);
  if (!left.ok) return left;
  const changed: string[] = [];
  const lost: string[] = [];
  for (const { change, now } of left.value) {
    const old = hasOldContent(change) ? await oldContent(ports, change) : succeed(undefined);
    if (!isAsLeft(now, change)) changed.push(changedText(change, now));
    else if (!old.ok) lost.push(old.error.message);
  }
  const [first] = changes;
  if (first === undefined || changed.length + lost.length === 0) return undefined;
  const rest = changes.length > 1 ? `Nothing that ${first.tool} changed was taken back` : 'It was left as it is';
  const why = [...(changed.length > 0 ? [changed.join(', ')] : []), ...lost];
  const message = `${[...why, rest].join('. ')}. ${choicesText(first, await offersOf(ports, left.value))}`;
  return failure('validation_failed', message, changed.length > 0 ? 'changed_since' : 'not_kept');
};

/** Of the changes of one call, those of which something is left to take back. */
const leftOf = async (ports: UndoPorts, changes: readonly RecordedChange[]): Promise<Outcome<readonly Standing[]>> => {
  const left: Standing[] = [];
  for (const change of changes) {
    const stands = await standsNow(ports, change);
    if (!stands.ok) return stands;
    if (stands.value !== undefined) left.push({ change, now: stands.value });
  }
  return succeed(left);
};

/** What stands in the file of a change; undefined where nothing of the change is left to take back. */
export const standsNow = async (ports: UndoPorts, change: RecordedChange): Promise<Outcome<Content | undefined>> => {
  const now = await standing(ports.workspace, change);
  if (!now.ok || isAsLeft(now.value, change)) return now;
  const isFound = isAsFound(now.value, change);
  // The call said that it changed nothing, so there is nothing of its to take back.
  if (change.succeeded === false || (change.succeeded !== true && isFound)) return succeed(undefined);
  if (!isFound || now.value.hash === TOO_LARGE) return now;
  // Somebody put it back already.
  await record(ports, change, { how: 'left' });
  return succeed(undefined);
};

/** Whatever stands there is what the caller looked at; anything newer is refused. */
export const takeBack = (
  ports: UndoPorts,
  change: RecordedChange,
  now: Content,
  onChange: OnChange,
): Promise<Outcome<Undone>> =>
  isAsLeft(now, change) ? putBack(ports, change, now) : byChoice(ports, change, now, onChange);

/** The files as long as the session is this process's own: it is asked before each of them is touched. */
const heldFiles = ({ workspace, holds }: UndoPorts): Pick<Workspace, Touching> => {
  const whileHeld =
    <A extends unknown[], T>(touch: (...args: A) => Promise<Outcome<T>>) =>
    async (...args: A): Promise<Outcome<T>> =>
      (await holds()) ? touch(...args) : NOT_KEPT;
  return {
    writeFile: whileHeld(workspace.writeFile),
    removeFile: whileHeld(workspace.removeFile),
    removeEntry: whileHeld(workspace.removeEntry),
    placeEntry: whileHeld(workspace.placeEntry),
    setMode: whileHeld(workspace.setMode),
  };
};
type Touching = 'writeFile' | 'removeFile' | 'removeEntry' | 'placeEntry' | 'setMode';

/** What undo is given: its files, fenced. */
export const fencedUndo = (ports: UndoPorts): UndoPorts => ({
  ...ports,
  workspace: { ...ports.workspace, ...heldFiles(ports) },
});

const byChoice = async (
  ports: UndoPorts,
  change: RecordedChange,
  now: Content,
  onChange: OnChange,
): Promise<Outcome<Undone>> => {
  if (onChange === 'force') return force(ports, change, now);
  if (onChange === 'beside') return writeBeside(ports, change);
  if (onChange === 'keep') return leave(ports, change);
  const choices = choicesText(change, await offersOf(ports, [{ change, now }]));
  return failure(
    'validation_failed',
    `${changedText(change, now)}, so it was left as it is. ${choices}`,
    'changed_since',
  );
};

/** `now` is what the person was told about; anything newer is refused by its hash. */
const putBack = async (
  ports: UndoPorts,
  change: RecordedChange,
  now: Content,
  isForced = false,
): Promise<Outcome<Undone>> => {
  const { workspace } = ports;
  if (isOfCommand(change)) {
    const cleared = await clearPlace(ports, change, now);
    if (!cleared.ok) return cleared;
    if (cleared.value !== undefined) return record(ports, change, cleared.value);
  }
  if (change.before === null) {
    if (now.hash === null) return record(ports, change, { how: 'removed' });
    const folders = change.folders ?? [];
    const removed = await workspace.removeFile(change.path, { expectedHash: now.hash, folders });
    return removed.ok ? record(ports, change, { how: 'removed' }) : removed;
  }
  const mode = modeToGive(change, now, isForced);
  if (isOfModeAlone(change) && now.hash !== null && now.mode !== undefined) {
    const set =
      mode === undefined ? succeed(undefined) : await workspace.setMode(change.path, { from: now.mode, to: mode });
    return set.ok ? record(ports, change, { how: 'restored' }) : set;
  }
  const old = await oldContent(ports, change);
  if (!old.ok) return old;
  const written = await workspace.writeFile(change.path, old.value, { expectedHash: now.hash, mode });
  if (!written.ok) return written;
  // The conversation knows the file as it was after the change, so the next edit reads it again first.
  workspace.markSeen(change.path, change.after);
  return record(ports, change, { how: 'restored' });
};

/**
 * Links and folders of a command: what stands is taken away where something else is to stand there, and a link or a folder
 * put back. Says what came of it, unless there is a file to put back or to remove.
 */
const clearPlace = async (
  { workspace }: UndoPorts,
  { path, before, link_before: target, folder_before, folders = [] }: RecordedChange,
  now: Content,
): Promise<Outcome<{ how: UndoOutcome } | undefined>> => {
  const entry = await workspace.entry(path);
  if (!entry.ok) return entry;
  const wanted =
    target !== undefined
      ? ({ kind: 'link', target } as const)
      : folder_before
        ? ({ kind: 'directory' } as const)
        : undefined;
  const isNothing = wanted === undefined && before === null;
  const stands =
    now.link !== undefined
      ? ({ kind: 'link', target: now.link } as const)
      : now.isFolder && { kind: 'directory' as const };
  if (stands) {
    const removed = await workspace.removeEntry(path, stands, isNothing ? folders : []);
    // Somebody has put something into it.
    if (!removed.ok && removed.error.reason === 'not_empty' && isNothing) return succeed({ how: 'left' });
    if (!removed.ok) return removed;
    if (isNothing) return succeed({ how: 'removed' });
  } else if (entry.value.kind === 'link')
    return failure('validation_failed', `${path} is a link by now`, 'changed_since');
  if (wanted === undefined) return succeed(undefined);
  const removed = now.hash === null ? succeed(undefined) : await workspace.removeFile(path, { expectedHash: now.hash });
  if (!removed.ok) return removed;
  const placed = await workspace.placeEntry(path, wanted);
  return placed.ok ? succeed({ how: 'restored' }) : placed;
};

/** Even then nothing is lost: what stood there is put aside as well. */
const force = async (ports: UndoPorts, change: RecordedChange, now: Content): Promise<Outcome<Undone>> => {
  if (now.hash === TOO_LARGE && !isOfModeAlone(change)) {
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
  return putBack(ports, change, now, true);
};

const writeBeside = async (ports: UndoPorts, change: RecordedChange): Promise<Outcome<Undone>> => {
  if (!hasOldContent(change)) return leave(ports, change);
  const old = await oldContent(ports, change);
  if (!old.ok) return old;
  const beside = besideName(change);
  const written = await ports.workspace.writeFile(beside, old.value, { expectedHash: null });
  if (written.ok) return record(ports, change, { how: 'beside', beside });
  return written.error.reason === 'changed_since_read'
    ? failure('validation_failed', `${beside} is there already; move it away first`, 'exists')
    : written;
};

const leave = (ports: UndoPorts, change: RecordedChange): Promise<Outcome<Undone>> =>
  record(ports, change, { how: 'left' });

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
