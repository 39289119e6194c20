/** `halter replay`: a recorded session decided anew, and kept as a test. */

import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { createToolRegistry } from '../../agent/loop/run-tool/tool-registry.ts';
import { openReplayTools } from '../../agent/replay/tools.ts';
import { type ReplayReport, replaySession } from '../../agent/replay.ts';
import { checkEvents } from '../../core/copy-events.ts';
import type { Event } from '../../core/events.ts';
import { exportSession, titleOf } from '../../core/export-session.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { counted } from '../../core/number-text.ts';
import { type Outcome, succeed } from '../../core/outcome.ts';
import { quotedName } from '../../core/quoted-name.ts';
import { diskFailure } from '../../disk/disk-failure.ts';
import { makeFolder, SHARED_MODE } from '../../disk/make-folder.ts';
import { STORAGE_LIMITS } from '../../storage/limits.ts';
import { readImport } from '../../storage/session-import.ts';
import type { Storage } from '../../storage/storage.ts';
import { sanitizeLine } from '../../terminal/sanitize.ts';
import { BUILT_IN_TOOLS } from '../../tools/index.ts';
import type { Invocation } from '../command-code.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type Io, UsageError } from '../io.ts';
import { CLI_LIMITS } from '../limits.ts';
import { onStorage, sessionNamed } from '../session-access.ts';
import { pathsOf, reportFailure } from '../settings.ts';
import { readNamedFile, writeOutputFile } from '../text-file.ts';

type Recorded = { name: string; events: Event[] };

const fromFile = async (file: string, io: Io): Promise<Outcome<Recorded>> => {
  const entries = readImport(await readNamedFile(file, 'replay', io.cwd, STORAGE_LIMITS.importBytes));
  const checked = entries.ok ? checkEvents(entries.value, DEFAULT_LIMITS) : entries;
  if (checked.ok) return succeed({ name: file, events: checked.value });
  return { ok: false, error: { ...checked.error, message: `${file}: ${checked.error.message}` } };
};

/** A file, a folder of files, or a session that is here. */
const recordedBy = async (word: string, storage: Storage, io: Io): Promise<Outcome<Recorded[]>> => {
  const kind = word === '' ? undefined : await stat(resolve(io.cwd, word)).catch(() => undefined);
  if (kind?.isDirectory()) {
    const names = (await readdir(resolve(io.cwd, word))).filter((name) => /\.jsonl?$/.test(name)).sort();
    if (names.length === 0) throw new UsageError(`${quotedName(word)} holds no recorded session.`, 'replay');
    const all: Recorded[] = [];
    for (const name of names) {
      const read = await fromFile(join(word, name), io);
      if (!read.ok) return read;
      all.push(read.value);
    }
    return succeed(all);
  }
  if (kind?.isFile()) {
    const read = await fromFile(word, io);
    return read.ok ? succeed([read.value]) : read;
  }
  const id = await sessionNamed(storage, word, io);
  const read = id.ok ? await storage.sessions.read(id.value) : id;
  if (!read.ok) return read;
  for (const warning of read.value.warnings) io.stderr.write(`halter: ${warning}\n`);
  return succeed([{ name: id.ok ? id.value : word, events: read.value.events }]);
};

const record = async (folder: string, recorded: Recorded, io: Io): Promise<Outcome<string>> => {
  const slug = titleOf(recorded.events)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, CLI_LIMITS.replayNameCharacters);
  const file = join(folder, `${slug || basename(recorded.name)}.jsonl`);
  try {
    makeFolder(resolve(io.cwd, folder), SHARED_MODE);
  } catch (error) {
    return diskFailure(`${folder} cannot be made`, error);
  }
  const problem = await writeOutputFile(file, exportSession(recorded.events, 'jsonl'), io);
  return problem === undefined ? succeed(file) : { ok: false, error: { error_type: 'io_error', message: problem } };
};

export const replayCommand = onStorage(async (invocation, storage) => {
  const { words, flags, io } = invocation;
  if (flags.tools !== undefined && flags.tools !== 'recorded' && flags.tools !== 'real') {
    throw new UsageError('--tools is recorded or real here.', 'replay');
  }
  const found = await recordedBy(words[0] as string, storage, io);
  if (!found.ok) return reportFailure(found.error, io);
  let code: ExitCode = EXIT.answered;
  for (const recorded of found.value) {
    if (flags.record !== undefined) {
      const kept = await record(flags.record, recorded, io);
      if (!kept.ok) return reportFailure(kept.error, io);
      if (!flags.json) io.stdout.write(`recorded ${sanitizeLine(kept.value)}\n`);
    }
    const report = await replay(recorded, invocation);
    if (!report.ok) return reportFailure(report.error, io);
    if (report.value.difference) code = EXIT.error;
    io.stdout.write(
      flags.json
        ? `${JSON.stringify({ name: recorded.name, ...report.value })}\n`
        : reportText(recorded.name, report.value),
    );
  }
  return code;
});

const replay = async ({ events }: Recorded, { flags, io }: Invocation): Promise<Outcome<ReplayReport>> => {
  const ports = { registry: createToolRegistry(BUILT_IN_TOOLS), limits: DEFAULT_LIMITS };
  if (flags.tools !== 'real') return succeed(await replaySession(events, ports));
  const [first] = events;
  const folder = flags.directory ?? (first?.type === 'session_started' ? first.workspace : '.');
  const root = await realpath(resolve(io.cwd, folder)).catch(() => undefined);
  if (root === undefined) throw new UsageError(`There is no folder ${quotedName(folder)}; name one with -C.`, 'replay');
  const tools = await openReplayTools(root, events, { undoFolder: pathsOf(io).undo, limits: DEFAULT_LIMITS });
  if (!tools.ok) return tools;
  try {
    return succeed(await replaySession(events, { ...ports, run: tools.value.run }));
  } finally {
    await tools.value.close();
  }
};

const reportText = (name: string, { events, compared, ran, difference, notes }: ReplayReport): string => {
  const lines = notes.map((note) => `  (${note})`);
  if (difference) {
    const { seq, type, what, recorded, now } = difference;
    lines.unshift(
      `differs  ${name} at #${seq} ${type}: ${what}`,
      `  recorded: ${shown(recorded)}`,
      `  now:      ${shown(now)}`,
    );
  } else
    lines.unshift(
      `same     ${name}: ${counted(events, 'event')}, ${counted(compared, 'decision')} compared${ran > 0 ? `, ${counted(ran, 'call')} run` : ''}`,
    );
  return lines.map((line) => `${sanitizeLine(line)}\n`).join('');
};

const shown = (value: unknown): string =>
  (JSON.stringify(value) ?? 'nothing').slice(0, CLI_LIMITS.replayShownCharacters);
