/** `halter sessions list | show | delete`. */
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { LIMITS } from '../../core/limits.ts';
import { messageText } from '../../core/message.ts';
import { projectForPerson } from '../../core/project.ts';
import type { SessionSummary } from '../../core/storage-port.ts';
import { createSessionFiles } from '../../storage/session-files.ts';
import { sanitizeText } from '../../terminal/sanitize.ts';
import type { CommandCode, Invocation } from '../command-code.ts';
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

/** The sessions that are meant: of this folder, or of all. */
const summaries = async ({ flags, io }: Invocation, command: string): Promise<SessionSummary[]> => {
  if ((flags.limit ?? 1) < 1) throw new UsageError('--limit is at least 1.', command);
  const folder = resolve(io.cwd, flags.directory ?? '.');
  const workspace = flags.all ? undefined : await realpath(folder).catch(() => folder);
  return storeOf(io).list(workspace === undefined ? {} : { workspace });
};

export const sessionsListCommand: CommandCode = {
  async execute(invocation) {
    const { flags, io } = invocation;
    const sessions = (await summaries(invocation, 'sessions list')).slice(0, flags.limit);
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

type Hit = { id: string; updated_at: number; role: string; excerpt: string };

/** The first place where every word stands in one message. */
const findIn = (
  messages: ReturnType<typeof projectForPerson>,
  words: readonly string[],
): Omit<Hit, 'id' | 'updated_at'> | undefined => {
  for (const message of messages) {
    const text = messageText(message.content).replaceAll(/\s+/g, ' ');
    const lower = text.toLowerCase();
    if (!words.every((word) => lower.includes(word))) continue;
    const at = Math.max(0, lower.indexOf(words[0] ?? '') - LIMITS.searchExcerptCharacters / 2);
    const excerpt = text.slice(at, at + LIMITS.searchExcerptCharacters);
    return {
      role: message.role,
      excerpt: `${at > 0 ? '…' : ''}${excerpt}${at + excerpt.length < text.length ? '…' : ''}`,
    };
  }
  return undefined;
};

export const sessionsSearchCommand: CommandCode = {
  async execute(invocation) {
    const { words, flags, io } = invocation;
    const wanted = words
      .join(' ')
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '');
    if (wanted.length === 0) throw new UsageError('There is nothing to search for.', 'sessions search');
    const store = storeOf(io);
    const hits: Hit[] = [];
    for (const { id, updated_at } of await summaries(invocation, 'sessions search')) {
      const read = await store.read(id);
      const found = read.ok ? findIn(projectForPerson(read.value.events), wanted) : undefined;
      if (found) hits.push({ id, updated_at, ...found });
      if (hits.length === flags.limit) break;
    }
    if (flags.json) io.stdout.write(`${JSON.stringify({ hits })}\n`);
    else io.stdout.write(columns(hits.map((hit) => [hit.id, timeText(hit.updated_at), hit.role, hit.excerpt])));
    return hits.length > 0 ? EXIT.answered : EXIT.error;
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
