/** Everything that a session changed in files, in one place, for a person to look through. Changes nothing. */
import type { RecordedChange } from '../../core/changes.ts';
import type { Event } from '../../core/events.ts';
import type { FileReview, SessionReview } from '../../core/file-review.ts';
import { shownText } from '../../core/message.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { Workspace } from '../../core/ports.ts';
import { type FolderNames, folderOf } from '../../core/session-folder.ts';
import { activePath, pathAt } from '../../core/session-tree.ts';
import { firstWords } from '../../core/window/text.ts';
import type { UndoFiles } from '../../storage/undo-files.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { changesOfFile, contentBefore, type FileChanges, openByFile, textOf, writtenText } from './file-changes.ts';
import { hunksOf, samePlaces } from './hunks.ts';
import { isOfModeAlone } from './stand.ts';

export type ReviewPorts = { workspace: Workspace; folder: FolderNames; files: UndoFiles };

/** What commands changed where they ran in no layer is not in the log, and not here. */
export const reviewChanges = async (ports: ReviewPorts, events: readonly Event[]): Promise<Outcome<SessionReview>> => {
  const folder = folderOf(events);
  if (folder === undefined || !ports.folder.includes(folder)) {
    const message = `This session belongs to the folder ${folder ?? '(unknown)'}; look through its changes there.`;
    return failure('validation_failed', message, 'other_folder');
  }
  const open = [...openByFile(events)];
  const otherBranches = branchNames(events);
  const files: FileReview[] = [];
  for (const [path, changes] of open.slice(0, AGENT_LIMITS.reviewFiles)) {
    const reviewed = await reviewFile(ports, path, changes);
    if (reviewed) files.push({ ...reviewed.file, other_branches: otherBranches(reviewed.changes) });
  }
  return succeed({ files, more: Math.max(0, open.length - AGENT_LIMITS.reviewFiles) });
};

/** What a file is told by, and which changes of it. */
type Described = { file: Omit<FileReview, 'other_branches'>; changes: readonly RecordedChange[] };

const reviewFile = async (
  ports: ReviewPorts,
  path: string,
  open: readonly RecordedChange[],
): Promise<Described | undefined> => {
  const found = await changesOfFile(ports.workspace, path, open);
  if (!found.ok) return { file: unreadable(path, open, found.error.message), changes: open };
  return found.value && { file: await describe(ports, found.value), changes: found.value.changes };
};

/** Files know no branches, so all changes are there; those of other branches say what was asked for them. */
const branchNames = (events: readonly Event[]): ((changes: readonly RecordedChange[]) => string[]) => {
  const here = new Set(activePath(events).map(({ seq }) => seq));
  const names = new Map<string, string>();
  const nameOf = ({ tool_call_id, seq }: RecordedChange): string => {
    const known = names.get(tool_call_id);
    if (known !== undefined) return known;
    const asked = pathAt(events, seq).findLast((event) => event.type === 'user_message_added' && !event.steers);
    const text = asked?.type === 'user_message_added' ? shownText(asked.content) : '';
    const name = firstWords(text, AGENT_LIMITS.reviewMessageCharacters);
    names.set(tool_call_id, name);
    return name;
  };
  return (changes) => [...new Set(changes.flatMap((change) => (here.has(change.seq) ? [] : [nameOf(change)])))];
};

const describe = async (ports: ReviewPorts, file: FileChanges): Promise<Described['file']> => {
  const { path, changes, now, isChangedSince } = file;
  const { before: found, link_before, folder_before } = file.whole;
  const isCreated = found === null && link_before === undefined && !folder_before;
  const before = await contentBefore(ports.files, file);
  const texts = before.ok && (now.hash === null || now.content) ? [textOf(before.value), textOf(now.content)] : [];
  const wrote = isChangedSince && before.ok ? await writtenText(ports.files, file) : undefined;
  const shown = !before.ok ? { note: before.error.message } : differenceOf(texts[0], texts[1], isChangedSince, wrote);
  const ownPlaces = shown.hunks?.some((hunk) => !hunk.changed_since) ?? false;
  const note = modesText(file.whole) ?? placesText(file);
  return {
    path,
    hash: now.hash,
    state: now.hash === null && now.link === undefined && !now.isFolder ? 'removed' : isCreated ? 'created' : 'changed',
    ...factsOf(changes),
    changed_since: isChangedSince,
    can_undo: before.ok || isOfModeAlone(file.whole),
    can_undo_hunks: ownPlaces && !isCreated && now.hash !== null,
    added: 0,
    removed: 0,
    hunks: [],
    ...(note === undefined ? {} : { note }),
    ...shown,
  };
};

const placesText = ({ whole, now }: FileChanges): string | undefined => {
  const named = (target: string | undefined, isFolder: boolean | undefined): string | undefined =>
    target !== undefined ? `a link to ${target}` : isFolder ? 'a folder' : undefined;
  const [was, is] = [named(whole.link_before, whole.folder_before), named(now.link, now.isFolder)];
  if (was === undefined) return is && `It is ${is} now.`;
  return is === undefined ? `It was ${was}.` : `It was ${was} and is ${is} now.`;
};

const modesText = ({ mode_before, mode_after }: RecordedChange): string | undefined =>
  mode_before === undefined || mode_after === undefined || mode_before === mode_after
    ? undefined
    : `Its permissions were ${mode_before.toString(8)} and became ${mode_after.toString(8)}.`;

const factsOf = (changes: readonly RecordedChange[]): Pick<FileReview, 'tools' | 'changed_at'> => ({
  tools: [...new Set(changes.map(({ tool }) => tool))],
  changed_at: changes[0]?.at ?? 0,
});

type Difference = Pick<FileReview, 'added' | 'removed' | 'hunks'> | { note: string; hunks?: undefined };

const differenceOf = (
  before: string | undefined,
  now: string | undefined,
  isChangedSince: boolean,
  /** What halter wrote last, where it is another text by now. */
  wrote: string | undefined,
): Difference => {
  if (before === undefined || now === undefined) return { note: 'It is no text, or too large to be shown.' };
  const hunks = hunksOf(before, now);
  const lines = hunks?.flatMap((hunk) => hunk.lines) ?? [];
  const characters = lines.reduce((sum, line) => sum + line.length, 0);
  if (hunks === undefined || characters > AGENT_LIMITS.reviewFileCharacters)
    return { note: 'Too much of it changed to be shown.' };
  const own = samePlaces(hunks, wrote === undefined ? [] : (hunksOf(before, wrote) ?? []));
  return {
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
    hunks: hunks.map((hunk, index) => ({
      old_start: hunk.oldStart,
      new_start: hunk.newStart,
      lines: hunk.lines,
      ...(isChangedSince && !own.has(index) ? { changed_since: true as const } : {}),
    })),
  };
};

const unreadable = (path: string, changes: readonly RecordedChange[], note: string): Described['file'] => ({
  path,
  hash: null,
  state: 'changed',
  ...factsOf(changes),
  changed_since: true,
  can_undo: false,
  can_undo_hunks: false,
  added: 0,
  removed: 0,
  hunks: [],
  note,
});
