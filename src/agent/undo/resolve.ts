/**
 * Settles all open changes of one file: they are taken back together, some lines of them are, or they are left for good.
 * What the person was shown is named by its hash, and with anything else in its place nothing is done.
 */

import type { RecordedChange } from '../../core/changes.ts';
import type { Command } from '../../core/events.ts';
import { counted } from '../../core/number-text.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { hashOf } from '../../io/workspace/read.ts';
import { record, takeBack, type UndoPorts } from '../undo.ts';
import { changesOfFile, contentBefore, type FileChanges, openByFile, textOf, writtenText } from './file-changes.ts';
import { type Hunk, hunksOf, samePlaces, withoutHunks } from './hunks.ts';

export type ResolveChanges = Extract<Command, { type: 'resolve_changes' }>;

export const resolveChanges = async (ports: UndoPorts, command: ResolveChanges): Promise<Outcome<void>> => {
  const { path, hash, decision, hunks } = command;
  const open = openByFile(ports.log()).get(path) ?? [];
  if (open.length === 0) return nothingOpen(path);
  if (decision === 'accept') return hunks === undefined ? leaveAll(ports, open) : refuseHunks('accepted');
  const found = await changesOfFile(ports.workspace, path, open);
  if (!found.ok) return found;
  const file = found.value;
  if (file === undefined) return nothingOpen(path);
  if (file.now.hash !== hash) {
    const message = `${path} changed while you looked at it, so nothing of it was put back. Look at it again.`;
    return failure('validation_failed', message, 'changed_since');
  }
  return hunks === undefined ? undoFile(ports, file, command.on_change ?? 'refuse') : undoHunks(ports, file, hunks);
};

const nothingOpen = (path: string) =>
  failure('not_found', `There is no open change of ${path} in this session.`, 'nothing_to_undo');

const refuseHunks = (word: string) =>
  failure('validation_failed', `Only whole files are ${word}; leave hunks out.`, 'hunks');

const leaveAll = async (ports: UndoPorts, open: readonly RecordedChange[]): Promise<Outcome<void>> => {
  for (const change of open) await record(ports, change, { how: 'left' });
  return succeed(undefined);
};

/** As one change: from what the file held before the oldest of them to what the newest wrote. */
const undoFile = async (
  ports: UndoPorts,
  { changes, whole, now }: FileChanges,
  onChange: 'refuse' | 'force' | 'beside',
): Promise<Outcome<void>> => {
  const done = await takeBack(ports, whole, now, onChange);
  if (!done.ok) return done;
  const { how, beside } = done.value;
  for (const change of changes.slice(1)) await record(ports, change, { how, ...(beside ? { beside } : {}) });
  return succeed(undefined);
};

const undoHunks = async (ports: UndoPorts, file: FileChanges, wanted: readonly number[]): Promise<Outcome<void>> => {
  const texts = await textsOf(ports, file);
  if (!texts.ok) return texts;
  const { before, now, hunks } = texts.value;
  const chosen = new Set(wanted);
  if (chosen.size === 0 || [...chosen].some((index) => hunks[index] === undefined)) {
    const message = `${file.path} differs in ${counted(hunks.length, 'place')}, counted from 0; choose among them.`;
    return failure('validation_failed', message, 'hunks');
  }
  const text = withoutHunks(before, now, hunks, chosen);
  if (file.isChangedSince) return undoOwn(ports, file, texts.value, { chosen, text });
  if (chosen.size === hunks.length) return undoFile(ports, file, 'refuse');
  return writePart(ports, file, { text, written: text });
};

type Texts = { before: string; now: string; hunks: readonly Hunk[] };

/** Of a file that is not new: there is nothing before a new one to put back in parts. */
const textsOf = async (ports: UndoPorts, file: FileChanges): Promise<Outcome<Texts>> => {
  const before = await contentBefore(ports.files, file);
  if (!before.ok) return before;
  const [old, now] = [textOf(before.value), textOf(file.now.content)];
  const hunks = old === undefined || now === undefined ? undefined : hunksOf(old, now);
  if (before.value === undefined || !file.now.content || !hunks) {
    const message = `Only all of ${file.path} can be put back: it is new, or no text.`;
    return failure('validation_failed', message, 'hunks');
  }
  return succeed({ before: old as string, now: now as string, hunks });
};

/** Places in which nobody else wrote since. The file is known afterwards as what halter wrote without them. */
const undoOwn = async (
  ports: UndoPorts,
  file: FileChanges,
  { before, hunks }: Texts,
  { chosen, text }: { chosen: ReadonlySet<number>; text: string },
): Promise<Outcome<void>> => {
  const wrote = await writtenText(ports.files, file);
  const made = wrote === undefined ? undefined : hunksOf(before, wrote);
  const own = samePlaces(hunks, made ?? []);
  const mine = [...chosen].flatMap((index) => own.get(index) ?? []);
  if (wrote === undefined || made === undefined || mine.length < chosen.size) {
    const message = `Somebody else changed that place of ${file.path} since, or it is not known who did; only all of the file can be put back.`;
    return failure('validation_failed', message, 'hunks');
  }
  const written = withoutHunks(before, wrote, made, new Set(mine));
  return writePart(ports, file, { text, written, isOver: written === before });
};

/** What stood there is put aside first, so that nothing is lost. */
const writePart = async (
  ports: UndoPorts,
  { path, changes, now }: FileChanges,
  /** `written`: what of it counts as halter's from then on. `isOver`: nothing of halter's is left in it. */
  { text, written: own, isOver = false }: { text: string; written: string; isOver?: boolean },
): Promise<Outcome<void>> => {
  const newest = changes[0] as RecordedChange;
  const bytes = new TextEncoder().encode(text);
  const kept = await ports.files.keep(now.hash as string, now.content as Uint8Array);
  if (!kept.ok) return kept;
  const written = await ports.workspace.writeFile(path, bytes, { expectedHash: now.hash });
  if (!written.ok) return written;
  // The conversation knows the file as it was after the change, so the next edit reads it again first.
  ports.workspace.markSeen(path, newest.after);
  if (isOver) {
    for (const change of changes) await record(ports, change, { how: 'restored' });
    return succeed(undefined);
  }
  const ownBytes = new TextEncoder().encode(own);
  const known = await ports.files.keep(hashOf(ownBytes), ownBytes);
  if (!known.ok) return known;
  await record(ports, newest, { how: 'partly', after: hashOf(ownBytes) });
  return succeed(undefined);
};
