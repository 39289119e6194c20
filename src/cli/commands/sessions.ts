/** `halter sessions list | search | show | rename | delete`. */

import { type SessionHit, searchSessions, wordsOf } from '../../agent/session/search-sessions.ts';
import { argumentsText } from '../../core/call-arguments.ts';
import { beginningOf } from '../../core/cut-text.ts';
import type { Event } from '../../core/events.ts';
import { counted } from '../../core/number-text.ts';
import { type FolderNames, ofFolder } from '../../core/session-folder.ts';
import { activePath, branches } from '../../core/session-tree.ts';
import { setAsideText } from '../../core/set-aside.ts';
import { executionTime, statusOf, timeTaken } from '../../core/tool/display-status.ts';
import { speakerOf, type TranscriptCall, type TranscriptEntry, transcriptOf } from '../../core/transcript.ts';
import { lastCompaction } from '../../core/window/compaction.ts';
import { contextUse } from '../../core/window.ts';
import type { SessionToChange } from '../../storage/find-session.ts';
import { STORAGE_LIMITS } from '../../storage/limits.ts';
import { removeSession } from '../../storage/remove-session.ts';
import { sanitizeLine, sanitizeText } from '../../terminal/sanitize.ts';
import { timeText } from '../../terminal/text.ts';
import type { Invocation } from '../command-code.ts';
import { EXIT } from '../exit-codes.ts';
import { paintTo, UsageError, wantsColor } from '../io.ts';
import { CLI_LIMITS } from '../limits.ts';
import { readingLine } from '../reading-line.ts';
import {
  appendToSession,
  folderMeant,
  onStorage,
  sessionNamed,
  sessionNamedWhole,
  withoutCopy,
} from '../session-access.ts';
import { reportFailure } from '../settings.ts';
import { columns } from '../table.ts';

/** The folder whose sessions are meant; undefined for all. */
const meantFolder = async ({ flags, io }: Invocation, command: string): Promise<FolderNames | undefined> => {
  if ((flags.limit ?? 1) < 1) throw new UsageError('--limit is at least 1.', command);
  return flags.all ? undefined : folderMeant(io, flags.directory);
};

export const sessionsListCommand = onStorage(async (invocation, storage) => {
  const { flags, io } = invocation;
  const folder = await meantFolder(invocation, 'sessions list');
  const reading = readingLine(io);
  const found = await storage.sessions.list({ ...(folder && ofFolder(folder)), onReading: reading.show });
  reading.clear();
  if (!found.ok) return reportFailure(found.error, io);
  const sessions = found.value.slice(0, flags.limit);
  if (flags.json) {
    io.stdout.write(`${JSON.stringify({ sessions })}\n`);
    return EXIT.answered;
  }
  const rows = sessions.map((session) => [
    session.id,
    timeText(session.updated_at),
    counted(session.message_count, 'message'),
    ...(flags.all ? [session.workspace] : []),
    session.title,
  ]);
  io.stdout.write(columns(rows, { isProse: 'last' }));
  if (rows.length === 0) io.stderr.write('halter: there are no sessions here; --all shows those of other folders\n');
  return EXIT.answered;
});

export const sessionsSearchCommand = onStorage(async (invocation, storage) => {
  const { words, flags, io } = invocation;
  const wanted = wordsOf(words.join(' '));
  if (wanted.length === 0) throw new UsageError('There is nothing to search for.', 'sessions search');
  const folder = await meantFolder(invocation, 'sessions search');
  const reading = readingLine(io);
  // Both are asked for at once, so that the files are looked at once.
  const listing = storage.sessions.list({ ...(folder && ofFolder(folder)), onReading: reading.show });
  const hits = await searchSessions(
    storage.sessions,
    listing.then((listed) => (listed.ok ? listed.value : [])),
    wanted,
    { limit: flags.limit, onReading: reading.show },
  );
  reading.clear();
  const listed = await listing;
  if (!listed.ok) return reportFailure(listed.error, io);
  if (flags.json) io.stdout.write(`${JSON.stringify({ hits })}\n`);
  else {
    const more = ({ count, set_aside: isAside }: SessionHit): string => {
      const facts = [...(count === 1 ? [] : [counted(count, 'place')]), ...(isAside ? ['set aside'] : [])];
      return facts.length === 0 ? '' : `(${facts.join(', ')}) `;
    };
    io.stdout.write(
      columns(
        hits.map((hit) => [hit.id, timeText(hit.updated_at), hit.role, `${more(hit)}${hit.excerpt}`]),
        { isProse: 'last' },
      ),
    );
    if (hits.some(({ set_aside: isAside }) => isAside)) {
      io.stderr.write('halter: set aside: on another way through the session; /tree in it leads there\n');
    }
    if (hits.length === 0)
      io.stderr.write('halter: no session here says that; --all looks in those of other folders\n');
  }
  return hits.length > 0 ? EXIT.answered : EXIT.error;
});

export const sessionsShowCommand = onStorage(async ({ words, flags, io }, storage) => {
  const id = await sessionNamed(storage, words[0] as string, io);
  const read = id.ok ? await storage.sessions.read(id.value) : id;
  if (!read.ok) return reportFailure(read.error, io);
  for (const warning of read.value.warnings) io.stderr.write(`halter: ${warning}\n`);
  const { events } = read.value;
  if (flags.json) {
    for (const event of events) io.stdout.write(`${JSON.stringify(event)}\n`);
    return EXIT.answered;
  }
  const color = wantsColor(io.stdout, io.env);
  // What a model or a tool wrote reaches no terminal as it is; a file gets every byte of it.
  const safe = (text: string): string => (io.stdout.isTTY ? sanitizeText(text) : text);
  const paints = paintsOf(color, safe);
  for (const entry of transcriptOf(events)) paintTo(io.stdout, `${entryText(entry, flags.all ?? false, paints)}\n`);
  const use = contextUse(events);
  // What was left out is told in between; this is what it came to.
  if (use !== undefined && lastCompaction(activePath(events)) !== undefined) {
    const count = `${use.isEstimated ? 'about ' : ''}${counted(use.tokens, 'token')}`;
    io.stderr.write(`halter: for the model this conversation is ${count} now\n`);
  }
  const aside = asideText(events);
  if (aside !== undefined) io.stderr.write(`halter: ${aside}\n`);
  return EXIT.answered;
});

/** That others were set aside, and where they part from this way. */
const asideText = (events: readonly Event[]): string | undefined => {
  const text = setAsideText(events);
  if (text === undefined) return undefined;
  const places = branches(events).map(
    ({ at_seq, alternatives }) => `${counted(alternatives.length, 'way')} on from #${at_seq}`,
  );
  const parted = places.length === 0 ? '' : ` There are ${places.join(', ')}.`;
  return `${text}${parted} --json shows them; /tree in the session leads there.`;
};

/** Each makes its text safe first, so that only halter's own colours are colours. */
type Paints = Record<'bold' | 'quiet' | 'plain', (text: string) => string>;
const paintsOf = (color: boolean, plain: (text: string) => string): Paints => ({
  plain,
  bold: (text) => (color ? `\u001b[1m${plain(text)}\u001b[22m` : plain(text)),
  quiet: (text) => (color ? `\u001b[2m${plain(text)}\u001b[22m` : plain(text)),
});

/** `#12` is what `fork --at` takes. */
const entryText = (entry: TranscriptEntry, whole: boolean, paints: Paints): string => {
  const { bold, quiet, plain } = paints;
  if (entry.kind === 'note') return quiet(`  (${entry.text})\n`);
  const head = `${bold(`${speakerOf(entry)}:`)} ${quiet(`#${entry.seq}`)}\n`;
  const lines: string[] = [];
  if (entry.text !== '') lines.push(plain(entry.text));
  if (entry.kind === 'user') lines.push(...entry.images.map(({ mime_type }) => plain(`(an image, ${mime_type})`)));
  else {
    for (const made of entry.calls) lines.push(...callLines(made, whole, paints));
  }
  return `${head}${lines.join('\n')}\n`;
};

/** The display message of the call, with its arguments. */
const callLines = (
  { call, result, unended }: TranscriptCall,
  whole: boolean,
  { bold, quiet, plain }: Paints,
): string[] => {
  const args = call.malformed ? call.malformed.text : argumentsText(call);
  const data = result?.data?.trimEnd().split('\n') ?? [];
  const [only = '(none)'] = data;
  return [
    `  ${bold(`[Tool: ${call.name}]`)}`,
    plain(`  Arguments: ${whole ? args : cut(args, CLI_LIMITS.showArgumentCharacters)}`),
    plain(`  Status: ${statusOf(result, unended)}`),
    ...(data.length > 1
      ? ['  Result:', quiet(indented(data, whole))]
      : [`  Result: ${quiet(whole ? only : cut(only, CLI_LIMITS.showArgumentCharacters))}`]),
    ...(result && timeTaken(result) !== undefined ? [`  ${executionTime(result)}`] : []),
  ];
};

const cut = (text: string, characters: number): string =>
  text.length <= characters ? text : `${beginningOf(text, characters)}…`;

const indented = (lines: readonly string[], whole: boolean): string => {
  const shown = whole ? lines : lines.slice(0, CLI_LIMITS.showResultLines);
  const left = lines.length - shown.length;
  return [...shown, ...(left > 0 ? [`… ${counted(left, 'more line')}; --all shows ${left === 1 ? 'it' : 'them'}`] : [])]
    .map((line) => `    ${whole ? line : cut(line, CLI_LIMITS.showArgumentCharacters)}`)
    .join('\n');
};

export const sessionsRenameCommand = onStorage(async ({ words, io }, storage) => {
  const [word = '', ...name] = words;
  const title = name.join(' ').replaceAll(/\s+/g, ' ').trim();
  if (title.length > STORAGE_LIMITS.sessionTitleCharacters) {
    throw new UsageError(`A name has at most ${STORAGE_LIMITS.sessionTitleCharacters} characters.`, 'sessions rename');
  }
  const found = await sessionNamedWhole(storage, word, await folderMeant(io));
  if (!found.ok) return reportFailure(found.error, io);
  const done = await appendToSession(storage, found.value.id, { type: 'session_renamed', title });
  if (!done.ok) return reportFailure(withoutCopy(done.error, found.value.id), io);
  const now = title === '' ? 'is called by its first words again' : `is called ${title} now`;
  io.stdout.write(`${sanitizeLine(`${sessionText(found.value)} ${now}`)}\n`);
  return EXIT.answered;
});

export const sessionsDeleteCommand = onStorage(async ({ words, io }, storage) => {
  const found = await sessionNamedWhole(storage, words[0] as string, await folderMeant(io));
  if (!found.ok) return reportFailure(found.error, io);
  const removed = await removeSession(storage, found.value.id);
  if (!removed.ok) return reportFailure(withoutCopy(removed.error, found.value.id), io);
  io.stdout.write(`${sanitizeLine(`Deleted ${sessionText(found.value)}`)}\n`);
  return EXIT.answered;
});

const sessionText = ({ id, title, folder }: SessionToChange): string => {
  const facts = [title, folder ?? ''].filter((fact) => fact !== '');
  return facts.length === 0 ? id : `${id} (${facts.join(', ')})`;
};
