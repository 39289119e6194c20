/** The open changes of one file that follow on each other: what lies between what it held before and what it holds now. */
import { openChanges, type RecordedChange } from '../../core/changes.ts';
import type { Event } from '../../core/events.ts';
import { LIMITS } from '../../core/limits.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { Workspace } from '../../core/ports.ts';
import { isContentHash, type UndoFiles } from '../../storage/undo-files.ts';
import { type Content, standsAs, TOO_LARGE } from './record.ts';
import { asOneChange, isAsFound, isAsLeft, standing } from './stand.ts';

export type FileChanges = {
  path: string;
  /** The newest first. Before the last of them somebody else changed the file, or nobody did. */
  changes: readonly RecordedChange[];
  /** All of them as one. */
  whole: RecordedChange;
  now: Content;
  /** It holds no longer what halter wrote last. */
  isChangedSince: boolean;
};

/** Of each file, by its path; the one that was changed last comes first. */
export const openByFile = (events: readonly Event[]): Map<string, RecordedChange[]> => {
  const files = new Map<string, RecordedChange[]>();
  for (const change of openChanges(events)) files.set(change.path, [...(files.get(change.path) ?? []), change]);
  return files;
};

/** Undefined where nothing is left of them: the file is as it was, or its calls changed nothing. */
export const changesOfFile = async (
  workspace: Workspace,
  path: string,
  open: readonly RecordedChange[],
): Promise<Outcome<FileChanges | undefined>> => {
  const [last] = open;
  if (last === undefined) return succeed(undefined);
  const found = await standing(workspace, last);
  if (!found.ok) return found;
  const now = found.value;
  // A call that failed left what was there, unless what it wrote stands there all the same.
  const counted = open.filter((change) => change.succeeded !== false || isAsLeft(now, change));
  const changes = counted.slice(0, lengthOfChain(counted));
  if (changes.length === 0) return succeed(undefined);
  const whole = asOneChange(changes);
  if (isAsFound(now, whole) && now.hash !== TOO_LARGE) return succeed(undefined);
  return succeed({ path, changes, whole, now, isChangedSince: !isAsLeft(now, whole) });
};

/** A change that found something else than the one before it had written was preceded by somebody else's. */
const lengthOfChain = (changes: readonly RecordedChange[]): number => {
  let length = Math.min(1, changes.length);
  const follows = (older?: RecordedChange, newer?: RecordedChange): boolean =>
    older?.after === standsAs(newer?.before ?? null) && older.link_after === newer?.link_before;
  while (length < changes.length && follows(changes[length], changes[length - 1])) length += 1;
  return length;
};

/** What the file held before; no bytes where it was not there. */
export const contentBefore = async (
  files: UndoFiles,
  { whole, path }: FileChanges,
): Promise<Outcome<Uint8Array | undefined>> => {
  if (whole.before === null) return succeed(undefined);
  if (!whole.kept) return failure('io_error', `What ${path} held before is not kept.`, 'not_kept');
  return files.read(whole.before);
};

/** What halter wrote last, as text; undefined where that is not kept. */
export const writtenText = async (files: UndoFiles, { whole }: FileChanges): Promise<string | undefined> => {
  const kept = isContentHash(whole.after) ? await files.read(whole.after) : undefined;
  return kept?.ok ? textOf(kept.value) : undefined;
};

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Undefined where it is no text, or too much of it. */
export const textOf = (bytes: Uint8Array | undefined): string | undefined => {
  if (bytes === undefined) return '';
  if (bytes.length > LIMITS.readFileBytes) return undefined;
  try {
    const text = decoder.decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
};
