/** `halter sessions undo`: files as they were before halter changed them, step by step. */
import { resolve } from 'node:path';
import { keptChanges, openKeptUndo } from '../../agent/undo/kept.ts';
import { undoneText } from '../../agent/undo.ts';
import { openChanges, type RecordedChange, remainingSentence } from '../../core/changes.ts';
import { type Outcome, succeed } from '../../core/outcome.ts';
import { type FolderNames, ofFolder } from '../../core/session-folder.ts';
import type { Storage } from '../../storage/storage.ts';
import { sanitizeLine } from '../../terminal/sanitize.ts';
import type { Invocation } from '../command-code.ts';
import { EXIT } from '../exit-codes.ts';
import { UsageError } from '../io.ts';
import { folderMeant, onStorage, sessionNamedWhole, tellTaken, withoutCopy } from '../session-access.ts';
import { pathsOf, reportFailure } from '../settings.ts';
import { columns } from '../table.ts';

const sessionOf = async ({ words, flags, io }: Invocation, storage: Storage): Promise<Outcome<string>> => {
  if (words[0] !== undefined) {
    const found = await sessionNamedWhole(storage, words[0], await folderMeant(io, flags.directory));
    return found.ok ? tellTaken(succeed(found.value.id), words[0], io) : found;
  }
  const folder = await folderMeant(io, flags.directory);
  const listed = await storage.sessions.list({ ...ofFolder(folder), limit: 1 });
  if (!listed.ok) return listed;
  const [last] = listed.value;
  if (last === undefined) throw new UsageError('This folder has no session; name one by its id.', 'sessions undo');
  return { ok: true, value: last.id };
};

const list = async (storage: Storage, session: Parameters<typeof keptChanges>[1], { words, flags, io }: Invocation) => {
  const changes = await keptChanges(storage, session);
  if (!changes.ok) return reportFailure(changes.error, io);
  if (flags.json) io.stdout.write(`${JSON.stringify({ changes: changes.value })}\n`);
  else if (changes.value.length === 0)
    io.stderr.write(
      `halter: ${await nothingText('This session has no change that could be taken back.', session, storage, words)}\n`,
    );
  else
    io.stdout.write(
      columns(changes.value.map((change) => [`#${change.seq}`, change.tool, change.path, stateOf(change)])),
    );
  return EXIT.answered;
};

export const sessionsUndoCommand = onStorage(async (invocation, storage) => {
  const { flags, io } = invocation;
  const steps = flags.steps ?? 1;
  if (steps < 1) throw new UsageError('--steps is at least 1.', 'sessions undo');
  const id = await sessionOf(invocation, storage);
  if (!id.ok) return reportFailure(id.error, io);
  const session = { id: id.value, folder: await folderMeant(io, flags.directory) };
  if (flags.list) return list(storage, session, invocation);
  const addDirs = (flags['add-dir'] ?? []).map((folder) => resolve(io.cwd, folder));
  const opened = await openKeptUndo(storage, pathsOf(io), { ...session, addDirs });
  if (!opened.ok) return reportFailure(withoutCopy(opened.error, session.id), io);
  const undo = opened.value;
  try {
    for (let step = 0; step < steps; step += 1) {
      const done = await undo.undo(flags['on-change']);
      if (!done.ok) {
        // Fewer steps than were asked for is no failure when some were done.
        if (done.error.reason === 'nothing_to_undo' && step > 0) break;
        const how = done.error.reason === 'changed_since' ? ' Say it with --on-change.' : '';
        const message =
          done.error.reason === 'nothing_to_undo'
            ? await nothingText(done.error.message, session, storage, invocation.words)
            : `${done.error.message}${how}`;
        return reportFailure({ ...done.error, message }, io);
      }
      for (const undone of done.value) {
        const { change, how, beside } = undone;
        if (flags.json)
          io.stdout.write(`${JSON.stringify({ path: change.path, change_seq: change.seq, how, beside })}\n`);
        else io.stdout.write(columns([[undoneText(undone)]]));
      }
    }
    const remaining = remainingSentence(undo.left());
    if (remaining !== undefined && !flags.json)
      io.stdout.write(
        `${remaining} The same again takes the newest of them back, --steps ${undo.left().length} all.\n`,
      );
    return EXIT.answered;
  } finally {
    await undo.close();
  }
});

/** Without an id the latest session was looked at: which that is, and which one has a change to take back. */
const nothingText = async (
  message: string,
  { id, folder }: { id: string; folder: FolderNames },
  { sessions }: Storage,
  words: readonly string[],
): Promise<string> => {
  if (words.length > 0) return message;
  const listed = await sessions.list(ofFolder(folder));
  const all = listed.ok ? listed.value : [];
  const shown = (one: string): string => {
    const title = all.find((session) => session.id === one)?.title ?? '';
    return sanitizeLine(title === '' ? one : `${one} (${title})`);
  };
  const looked = `${message} The latest session of this folder was looked at: ${shown(id)}.`;
  for (const { id: other } of all.filter((session) => session.id !== id)) {
    const read = await sessions.read(other);
    if (read.ok && openChanges(read.value.events).length > 0)
      return `${looked} The latest with a change to take back is ${shown(other)}: \`halter sessions undo ${other}\`.`;
  }
  return `${looked} No other session of this folder has one.`;
};

const stateOf = (change: RecordedChange): string => {
  if (change.succeeded === false) return 'the call failed; taken back only if it was written all the same';
  if (change.link_before !== undefined || change.folder_before) return 'changed';
  if (change.before === null) return 'created';
  return change.kept ? 'changed' : 'changed; the old content was not kept';
};
