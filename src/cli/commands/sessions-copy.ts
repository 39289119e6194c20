/** `halter sessions fork | export | import`. */

import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { forkSession, importSession } from '../../agent/session/copy-session.ts';
import { type ExportFormat, exportSession, leftOutText } from '../../core/export-session.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { quotedName } from '../../core/quoted-name.ts';
import { pathAt } from '../../core/session-tree.ts';
import { STORAGE_LIMITS } from '../../storage/limits.ts';
import { EXIT } from '../exit-codes.ts';
import { type Io, UsageError } from '../io.ts';
import { copyPorts, onStorage, sessionNamed } from '../session-access.ts';
import { reportFailure } from '../settings.ts';
import { checkOutputFile, readNamedFile, writeOutputFile } from '../text-file.ts';

export const sessionsForkCommand = onStorage(async ({ words, flags, io }, storage) => {
  const source = await sessionNamed(storage, words[0] as string, io);
  if (!source.ok) return reportFailure(source.error, io);
  const made = await forkSession(copyPorts(storage), {
    id: source.value,
    atSeq: flags.at,
  });
  if (!made.ok) return reportFailure(made.error, io);
  const { id, events } = made.value;
  if (flags.json) io.stdout.write(`${JSON.stringify({ id, from: source.value, events: events.length })}\n`);
  else io.stdout.write(`${id}\n`);
  // For a person; a script has the id on standard output.
  if (!flags.json && io.stdout.isTTY) io.stderr.write(`halter: go on with it: halter --session ${id}\n`);
  return EXIT.answered;
});

export const sessionsExportCommand = onStorage(async ({ words, flags, io }, storage) => {
  const id = await sessionNamed(storage, words[0] as string, io);
  const read = id.ok ? await storage.sessions.read(id.value) : id;
  if (!read.ok) return reportFailure(read.error, io);
  for (const warning of read.value.warnings) io.stderr.write(`halter: ${warning}\n`);
  const format = (flags.format as ExportFormat | undefined) ?? formatOf(flags.output) ?? 'markdown';
  const { events } = read.value;
  if (flags.at !== undefined && pathAt(events, flags.at).length === 0) {
    return reportFailure({ error_type: 'not_found', message: `The session has no event ${flags.at}.` }, io);
  }
  const shown = flags.at === undefined ? events : pathAt(events, flags.at);
  const text = exportSession(shown, format);
  const isDocument = format === 'markdown' || format === 'html';
  const leftOut = isDocument && flags.output !== undefined ? leftOutText(shown) : undefined;
  if (flags.output === undefined) io.stdout.write(text);
  else {
    await checkOutputFile(flags.output, io);
    const problem = await writeOutputFile(flags.output, text, io);
    if (problem !== undefined) return reportFailure({ error_type: 'io_error', message: problem }, io);
    if (leftOut !== undefined) io.stderr.write(`halter: ${leftOut}\n`);
  }
  return EXIT.answered;
});

const ENDINGS: ReadonlyMap<string, ExportFormat> = new Map([
  ['md', 'markdown'],
  ['html', 'html'],
  ['htm', 'html'],
  ['json', 'json'],
  ['jsonl', 'jsonl'],
]);
/** The form that a file's name says. */
export const formatOf = (file: string | undefined): ExportFormat | undefined =>
  ENDINGS.get(/\.([a-z]+)$/i.exec(file ?? '')?.[1]?.toLowerCase() ?? '');

export const sessionsImportCommand = onStorage(async ({ words, flags, io }, storage) => {
  const text = await textOf(words[0] as string, io);
  if (!text.ok) return reportFailure(text.error, io);
  const folder = resolve(io.cwd, flags.directory ?? '.');
  const workspace = await realpath(folder).catch(() => undefined);
  if (workspace === undefined) throw new UsageError(`There is no folder ${quotedName(folder)}.`, 'sessions import');
  const made = await importSession(copyPorts(storage), { text: text.value, workspace });
  if (!made.ok) {
    const message = `The session was not imported. ${made.error.message}`;
    return reportFailure({ ...made.error, message }, io);
  }
  const { id, events, known } = made.value;
  if (flags.json) io.stdout.write(`${JSON.stringify({ id, events: events.length, known })}\n`);
  else {
    io.stdout.write(`${id}\n`);
    if (known) io.stderr.write('halter: the session is here already; nothing was added\n');
    else if (io.stdout.isTTY) {
      io.stderr.write('halter: it brings words alone: permissions given elsewhere, and instructions, were left out\n');
    }
  }
  return EXIT.answered;
});

/** `-` is standard input. */
const textOf = async (word: string, io: Io): Promise<Outcome<string>> => {
  if (word !== '-') return succeed(await readNamedFile(word, 'sessions import', io.cwd, STORAGE_LIMITS.importBytes));
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of io.stdin) {
    size += (chunk as Buffer).length;
    if (size > STORAGE_LIMITS.importBytes)
      return failure('validation_failed', 'What came on standard input is too large.');
    chunks.push(Buffer.from(chunk as Buffer));
  }
  return succeed(Buffer.concat(chunks).toString('utf8'));
};
