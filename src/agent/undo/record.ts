/**
 * The ports of a call, with a journal: before a file is changed, what it held is put aside and the change is noted with
 * the hashes of both contents, durably. After a crash that tells what came of the call; later it lets the person take the
 * change back. Only what goes through this port is ever taken back.
 */

import type { Event } from '../../core/events.ts';
import { knownFiles } from '../../core/known-files.ts';
import { LIMITS } from '../../core/limits.ts';
import { failure, type Outcome } from '../../core/outcome.ts';
import type { CommandChange, NoteChanges, Workspace } from '../../core/ports.ts';
import { LINK_ON_THE_WAY } from '../../io/workspace/entry.ts';
import { hashOf } from '../../io/workspace/read.ts';
import type { UndoFiles } from '../../storage/undo-files.ts';
import { TOOL_LIMITS } from '../../tools/limits.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { type ConversationFiles, conversationFiles } from '../loop/run-tool/conversation-files.ts';
import type { SessionHandle } from '../session/session-handle.ts';

export type ChangeRecorder = {
  /** The files as the tool of one call sees them; the same object for the same call. */
  filesFor(session: SessionHandle, callId: string): ConversationFiles;
  /** What a command of the call changed in files that a walk of the folder would list. */
  notesFor(session: SessionHandle, callId: string): NoteChanges;
};

export const createChangeRecorder = (workspace: Workspace, files: UndoFiles): ChangeRecorder => {
  const known = new Map<string, ConversationFiles>();
  const seenIn = ofPath(knownFiles);
  return {
    filesFor(session, callId) {
      const made =
        known.get(callId) ??
        conversationFiles(recording({ workspace, files, session, callId }), () => seenIn(session.path()));
      known.set(callId, made);
      const [oldest] = known.keys();
      if (known.size > TOOL_LIMITS.previewsRemembered && oldest !== undefined) known.delete(oldest);
      return made;
    },
    notesFor: (session, callId) => (changes, more) => noteAll({ workspace, files, session, callId }, changes, more),
  };
};

/** Folded again only where the path has grown. */
const ofPath = <T>(fold: (path: readonly Event[]) => T): ((path: readonly Event[]) => T) => {
  let last: { path: readonly Event[]; length: number; value: T } | undefined;
  return (path) => {
    if (last?.path !== path || last.length !== path.length) last = { path, length: path.length, value: fold(path) };
    return last.value;
  };
};

/** Where the changes of one call are noted. */
type Noting = { workspace: Workspace; files: UndoFiles; session: SessionHandle; callId: string };

const recording = ({ workspace, ...noting }: Noting): Workspace => ({
  ...workspace,
  async writeFile(path, bytes, options = {}) {
    const name = workspace.resolve(path);
    if (!name.ok) return name;
    const before = await contentNow(workspace, path, options.signal);
    if (!before.ok) return before;
    const after = hashOf(bytes);
    const { hash } = before.value;
    // What changes nothing needs no way back, and what is about to be refused was no change.
    if (hash === after || (options.expectedHash !== undefined && options.expectedHash !== hash)) {
      return workspace.writeFile(path, bytes, options);
    }
    await recordChange({ workspace, ...noting }, name.value, before.value, { hash: after });
    if (!(await noting.session.holds())) return NOT_KEPT;
    // What halter wrote tells its places from those of others later; without it the whole file can go back all the same.
    if (hash !== null) await noting.files.keep(after, bytes);
    if (options.signal?.aborted) return workspace.writeFile(path, bytes, options);
    // What was put aside is what is written over.
    return workspace.writeFile(path, bytes, hash === TOO_LARGE ? options : { ...options, expectedHash: hash });
  },
});

export const NOT_KEPT = failure(
  'io_error',
  'Nothing was written: the conversation cannot be saved, or another halter goes on with it.',
  'not_saved',
);

type After = { hash: string; mode?: number; link?: string; isFolder?: boolean };

/** Before the change is made: what is there is put aside, and the change is in the log. */
const recordChange = async (
  { workspace, files, session, callId }: Noting,
  path: string,
  { hash, content, mode, link, isFolder }: Content,
  after: After,
  missing = missingFolders,
): Promise<void> => {
  const kept = content === undefined || (await putAside(files, session, hash as string, content));
  const folders = hash === null ? await missing(workspace, path) : [];
  await session.dispatch({
    type: 'change_recorded',
    tool_call_id: callId,
    path,
    before: hash,
    after: after.hash,
    kept: kept && hash !== TOO_LARGE,
    ...(folders.length > 0 ? { folders } : {}),
    ...(mode === undefined ? {} : { mode_before: mode }),
    ...(after.mode === undefined ? {} : { mode_after: after.mode }),
    ...(link === undefined ? {} : { link_before: link }),
    ...(after.link === undefined ? {} : { link_after: after.link }),
    ...(isFolder ? { folder_before: true } : {}),
    ...(after.isFolder ? { folder_after: true } : {}),
  });
};

/** All of them or none: half of what a command did, taken back, would be worse than nothing. */
const noteAll = async (to: Noting, changes: readonly CommandChange[], more: boolean): Promise<boolean> => {
  const known: CommandChange[] = [];
  for (const change of changes) if ((await to.workspace.isIgnored?.(change.path)) !== true) known.push(change);
  if (known.length > 0 && (more || known.length > AGENT_LIMITS.commandChanges)) {
    const message = `The command changes more than ${AGENT_LIMITS.commandChanges} files, so they cannot be taken back later.`;
    to.session.progress({ type: 'warning', code: 'undo_not_kept', message });
    return to.session.holds();
  }
  const left: string[] = [];
  for (const change of known) {
    const stays = change.stays ?? (await noteOne(to, change));
    if (stays !== undefined) left.push(`${change.path} (${stays})`);
  }
  if (left.length > 0) to.session.progress({ type: 'warning', code: 'undo_not_kept', message: staysText(left) });
  return to.session.holds();
};

const staysText = (left: readonly string[]): string => {
  const rest = left.length - AGENT_LIMITS.changesNamed;
  const named = left.slice(0, AGENT_LIMITS.changesNamed).join(', ');
  return `The command changes what cannot be taken back later: ${named}${rest > 0 ? ` and ${rest} more` : ''}.`;
};

/** Says why it cannot be taken back, if so. */
const noteOne = async (noting: Noting, change: CommandChange): Promise<string | undefined> => {
  const { workspace } = noting;
  const name = workspace.resolve(change.path);
  const before = await entryNow(workspace, change.path);
  const bytes = change.content();
  // What is no file for a tool, or too large, stays as the command leaves it.
  if (!name.ok || !before.ok) return 'it cannot be read';
  if (before.value.hash === TOO_LARGE || (change.kind === 'written' && !bytes)) return 'too large';
  const after = bytes === undefined ? REMOVED : hashOf(bytes);
  const { mode, target: link } = change;
  const { hash, ...found } = before.value;
  const isFolder = change.kind === 'folder';
  const isSame =
    standsAs(hash) === after &&
    (bytes === undefined || found.mode === mode) &&
    found.link === link &&
    found.isFolder === (isFolder || undefined);
  if (!isSame)
    await recordChange(noting, name.value, before.value, { hash: after, mode, link, isFolder }, missingRealFolders);
  return undefined;
};

/** In place of the hash of a file that a command removed. */
export const REMOVED = 'removed';
/** What stands there, as `after` of a change says it. */
export const standsAs = (hash: string | null): string => hash ?? REMOVED;

/** In place of the hash of a file that is too large to be read. */
export const TOO_LARGE = 'too_large';

/** `link`: the target of a link that stands there, which was not followed. */
export type Content = {
  hash: string | null;
  content?: Uint8Array;
  mode?: number;
  link?: string;
  isFolder?: true;
};

/** In place of the hash of something that is no file, link or folder. */
const SPECIAL = 'special';

/** What is there now itself: no link is followed. */
export const entryNow = async (workspace: Workspace, path: string): Promise<Outcome<Content>> => {
  const entry = await workspace.entry(path);
  // What lies behind a link is nothing of this place.
  if (!entry.ok && entry.error.reason === LINK_ON_THE_WAY) return { ok: true, value: { hash: null } };
  if (!entry.ok) return entry;
  const { kind, target } = entry.value;
  if (kind === 'file') return contentNow(workspace, path);
  if (kind === 'other') return { ok: true, value: { hash: SPECIAL } };
  if (kind === 'link') return { ok: true, value: { hash: null, link: target ?? '' } };
  return { ok: true, value: { hash: null, ...(kind === 'directory' ? { isFolder: true } : {}) } };
};

/** What is there now: a hash, null for nothing. */
export const contentNow = async (
  workspace: Workspace,
  path: string,
  signal?: AbortSignal,
): Promise<Outcome<Content>> => {
  const read = await workspace.readFile(path, { maxBytes: LIMITS.readFileBytes, signal });
  if (read.ok) {
    const { hash, bytes, mode } = read.value;
    return { ok: true, value: { hash, content: bytes, ...(mode === undefined ? {} : { mode }) } };
  }
  if (read.error.error_type === 'not_found') return { ok: true, value: { hash: null } };
  return read.error.reason === 'too_large' ? { ok: true, value: { hash: TOO_LARGE } } : read;
};

const putAside = async (
  files: UndoFiles,
  session: SessionHandle,
  hash: string,
  content: Uint8Array,
): Promise<boolean> => {
  const kept = await files.keep(hash, content);
  if (kept.ok) return true;
  session.progress({
    type: 'warning',
    code: 'undo_not_kept',
    message: `This change cannot be taken back later: ${kept.error.message}`,
  });
  return false;
};

/** The same of a command, which makes a folder also where a file or a link was. */
const missingRealFolders = (workspace: Workspace, path: string): Promise<string[]> =>
  missingFolders(workspace, path, async (folder) => {
    const entry = await workspace.entry(folder);
    return entry.ok && entry.value.kind === 'directory';
  });

/** The folders that the write will make, the outermost first. */
const missingFolders = async (
  workspace: Workspace,
  path: string,
  isThere = async (folder: string): Promise<boolean> => {
    const found = await workspace.stat(folder);
    return found.ok || found.error.error_type !== 'not_found';
  },
): Promise<string[]> => {
  const missing: string[] = [];
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    const folder = path.slice(0, end);
    if (await isThere(folder)) break;
    missing.unshift(folder);
  }
  return missing;
};
