/** `halter sessions list | show | delete`. */
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageText } from '../../core/message.ts';
import { projectForPerson } from '../../core/project.ts';
import { createSessionFiles } from '../../storage/session-files.ts';
import { sanitizeText } from '../../terminal/sanitize.ts';
import type { CommandCode } from '../command-code.ts';
import { EXIT } from '../exit-codes.ts';
import { type Io, UsageError, wantsColor } from '../io.ts';
import { pathsOf, reportFailure } from '../settings.ts';
import { columns } from '../table.ts';

const storeOf = (io: Io) => createSessionFiles({ folder: pathsOf(io).sessions });

/** `2026-11-21 14:05` in the person's own time. */
const timeText = (milliseconds: number): string =>
  new Date(milliseconds - new Date(milliseconds).getTimezoneOffset() * 60_000)
    .toISOString()
    .slice(0, 16)
    .replace('T', ' ');

export const sessionsListCommand: CommandCode = {
  async execute({ flags, io }) {
    if ((flags.limit ?? 1) < 1) throw new UsageError('--limit is at least 1.', 'sessions list');
    const folder = resolve(io.cwd, flags.directory ?? '.');
    const workspace = flags.all ? undefined : await realpath(folder).catch(() => folder);
    const sessions = await storeOf(io).list({
      ...(workspace === undefined ? {} : { workspace }),
      ...(flags.limit === undefined ? {} : { limit: flags.limit }),
    });
    if (flags.json) {
      io.stdout.write(`${JSON.stringify({ sessions })}\n`);
      return EXIT.answered;
    }
    const rows = sessions.map((session) => [
      session.id,
      timeText(session.updated_at),
      `${session.message_count} messages`,
      ...(flags.all ? [session.workspace] : []),
      session.title,
    ]);
    io.stdout.write(columns(rows));
    if (rows.length === 0) io.stderr.write('halter: there are no sessions here; --all shows those of other folders\n');
    return EXIT.answered;
  },
};

export const sessionsShowCommand: CommandCode = {
  async execute({ words, flags, io }) {
    const read = await storeOf(io).read(words[0] as string);
    if (!read.ok) return reportFailure(read.error, io);
    for (const warning of read.value.warnings) io.stderr.write(`halter: ${warning}\n`);
    if (flags.json) {
      for (const event of read.value.events) io.stdout.write(`${JSON.stringify(event)}\n`);
      return EXIT.answered;
    }
    const bold = (text: string): string => (wantsColor(io.stdout, io.env) ? `\u001b[1m${text}\u001b[22m` : text);
    for (const message of projectForPerson(read.value.events)) {
      const text = messageText(message.content).trim();
      if (text === '') continue;
      // What a model or a tool wrote reaches no terminal as it is; a file gets every byte of it.
      const shown = io.stdout.isTTY ? sanitizeText(text) : text;
      io.stdout.write(message.role === 'system' ? `${shown}\n\n` : `${bold(`${message.role}:`)}\n${shown}\n\n`);
    }
    return EXIT.answered;
  },
};

export const sessionsDeleteCommand: CommandCode = {
  async execute({ words, io }) {
    const removed = await storeOf(io).remove(words[0] as string);
    return removed.ok ? EXIT.answered : reportFailure(removed.error, io);
  },
};
