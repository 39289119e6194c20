/** What a list shows of a session, from the head and the tail of its file. */

import type { FileHandle } from 'node:fs/promises';
import { beginningOf } from '../core/cut-text.ts';
import type { Event } from '../core/events.ts';
import { writtenText } from '../core/message.ts';
import type { SessionSummary } from '../core/storage-port.ts';
import { STORAGE_LIMITS } from './limits.ts';
import { readLines } from './read-lines.ts';
import { decodeLine, isMessage } from './session-format.ts';

/** Undefined where the file is no session that this halter can read. */
export const summarizeSession = async (file: FileHandle, id: string): Promise<SessionSummary | undefined> => {
  const { size, mtimeMs } = await file.stat();
  const head = await readPart(file, 0, Math.min(size, STORAGE_LIMITS.sessionHeadBytes));
  const summary: SessionSummary = {
    id,
    title: '',
    workspace: '',
    model: '',
    created_at: 0,
    updated_at: Math.round(mtimeMs),
    message_count: 0,
  };
  for (const bytes of linesOf(head)) {
    const line = decodeLine(bytes);
    if (line.kind === 'header') summary.created_at = line.header.created_at;
    else if (line.kind === 'event') takeHead(summary, line.event);
    // The head may end in the middle of a long first message, whose first words are all that is wanted.
    else if (line.kind === 'damaged' && summary.title === '')
      summary.title = firstWords(cutMessageText(bytes.toString('utf8')));
    if (summary.title !== '') break;
  }
  if (summary.created_at === 0) return undefined;
  await takeTail(summary, file, size);
  return summary;
};

const takeHead = (summary: SessionSummary, event: Event): void => {
  if (event.type === 'session_started') {
    summary.workspace = event.workspace;
    summary.model = event.model;
    summary.created_at ||= event.at;
  } else if (event.type === 'user_message_added') {
    summary.title = firstWords(writtenText(event.content));
  }
};

/** The last whole line knows the time and the count. Where it is longer than the tail, a longer tail is read. */
const takeTail = async (summary: SessionSummary, file: FileHandle, size: number): Promise<void> => {
  for (let length: number = STORAGE_LIMITS.sessionTailBytes; ; length *= 16) {
    const start = Math.max(0, size - length);
    const lines = linesOf(await readPart(file, start, size - start));
    let found = false;
    for (const bytes of lines.toReversed()) {
      const line = decodeLine(bytes);
      if (line.kind !== 'event') continue;
      if (!found) {
        summary.updated_at = line.event.at;
        summary.message_count = line.messageCount ?? (await countMessages(file));
        if (line.title !== undefined) summary.title = line.title;
        found = true;
      }
      if (line.event.type !== 'model_changed') continue;
      summary.model = line.event.model;
      break;
    }
    if (found || start === 0 || length > STORAGE_LIMITS.sessionLineBytes) return;
  }
};

/** Files of another origin lack the count. */
const countMessages = async (file: FileHandle): Promise<number> => {
  let count = 0;
  await readLines(file, ({ bytes }) => {
    const line = bytes && decodeLine(bytes);
    if (line?.kind === 'event' && isMessage(line.event)) count += 1;
    return true;
  });
  return count;
};

const readPart = async (file: FileHandle, position: number, length: number): Promise<Buffer> => {
  const buffer = Buffer.allocUnsafe(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
};
const linesOf = (bytes: Buffer): Buffer[] => {
  const lines: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(0x0a, from);
    lines.push(bytes.subarray(from, end === -1 ? bytes.length : end));
    if (end === -1) break;
    from = end + 1;
  }
  return lines;
};

export const firstWords = (text: string): string => {
  const line = text
    .slice(0, STORAGE_LIMITS.sessionTitleCharacters * 4)
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= STORAGE_LIMITS.sessionTitleCharacters) return line;
  const cut = line.slice(0, STORAGE_LIMITS.sessionTitleCharacters);
  return `${beginningOf(cut, Math.max(cut.lastIndexOf(' '), STORAGE_LIMITS.sessionTitleCharacters / 2))}…`;
};

/** The text of a user message whose line was cut off. */
const cutMessageText = (line: string): string => {
  const found = /"type":"user_message_added","content":(?:\[\{"type":"text","text":)?"((?:[^"\\]|\\.){0,1000})/s.exec(
    line,
  );
  for (let text = found?.[1] ?? ''; text !== ''; text = text.slice(0, -1)) {
    try {
      return JSON.parse(`"${text}"`) as string;
    } catch {
      // An escape was cut in two.
    }
  }
  return '';
};
