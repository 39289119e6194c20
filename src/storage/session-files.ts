/**
 * Sessions as files, one JSONL file each. A line that was acknowledged is on the disk; a line that was not written to its
 * end is put aside when the session is opened again; a damaged line in the middle is named, left out, and left in place.
 */

import { constants } from 'node:fs';
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import type { Event } from '../core/events.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { setAsideIn } from '../core/set-aside.ts';
import type { OnReading, SessionStore, SessionSummary } from '../core/storage-port.ts';
import { spoken, transcriptOf } from '../core/transcript.ts';
import { diskFailure, errorCode, writeFailure } from '../disk/disk-failure.ts';
import { makeFolder } from '../disk/make-folder.ts';
import { flushFolder, writeFileAtomically } from './atomic-file.ts';
import { documentsFolder } from './document-files.ts';
import { takeLock } from './file-lock.ts';
import { STORAGE_LIMITS } from './limits.ts';
import { checkSessionId, encodeHeader, encodeSession, followFacts } from './session-format.ts';
import { newestFirst, SessionIndex } from './session-index.ts';
import { createSessionLog } from './session-log.ts';
import { createSessionLooks, type SessionLook } from './session-look.ts';
import { readSession, type SessionContent, TORN } from './session-reader.ts';
import { summarizeSession } from './session-summary.ts';

export type SessionFilesOptions = {
  /** `halterPaths(…).sessions` */
  folder: string;
  /** What the embedded engine keeps of prompts: removed with any session, since it holds words of all of them. */
  promptStates?: string;
  /** Milliseconds since 1970, for the header of a new file. */
  now?(): number;
};

/** Never through a link, and never waiting for a FIFO. */
const SAFELY = constants.O_NOFOLLOW | constants.O_NONBLOCK;
export const EXTENSION = '.jsonl';
/** No session is named like this, since it begins with a dot. */
const INDEX_FOLDER = '.index';

export class SessionFiles implements SessionStore {
  readonly #folder: string;
  readonly #promptStates: string | undefined;
  readonly #now: () => number;
  readonly #index: SessionIndex;
  readonly #look: () => Promise<SessionLook>;

  constructor({ folder, promptStates, now = Date.now }: SessionFilesOptions) {
    this.#folder = resolve(folder);
    this.#promptStates = promptStates;
    this.#now = now;
    this.#index = new SessionIndex({
      file: join(folder, INDEX_FOLDER, 'sessions.sqlite'),
      summarize: (id) => summarize(this.#pathOf(id), id),
      words: (id) => this.#words(id),
    });
    this.#look = createSessionLooks({ ids: () => this.#ids(), pathOf: (id) => this.#pathOf(id) });
  }

  async open(id: string): ReturnType<SessionStore['open']> {
    const checked = checkSessionId(id);
    if (!checked.ok) return checked;
    try {
      makeFolder(this.#folder);
    } catch (error) {
      return writeFailure(`Sessions cannot be kept in ${this.#folder}`, error);
    }
    const held = await this.#lock(id);
    if (!held.ok) return held;
    const opened = await this.#openLocked(id, held.value.release);
    if (!opened.ok) held.value.release();
    return opened;
  }

  async create(id: string, events: readonly Event[]): Promise<Outcome<void>> {
    const checked = checkSessionId(id);
    if (!checked.ok) return checked;
    const held = await this.#lock(id);
    if (!held.ok) return held;
    try {
      const there = await openFile(this.#pathOf(id), constants.O_RDONLY);
      if (there.ok) {
        await there.value.close();
        return failure('validation_failed', `There is a session ${id} already`, 'exists');
      }
      if (there.error.error_type !== 'not_found') return there;
      return await writeFileAtomically(this.#pathOf(id), encodeSession(id, this.#now(), events));
    } finally {
      held.value.release();
    }
  }

  async ids(): Promise<Outcome<string[]>> {
    return succeed(await this.#ids());
  }

  async read(id: string): ReturnType<SessionStore['read']> {
    const checked = checkSessionId(id);
    if (!checked.ok) return checked;
    const opened = await openFile(this.#pathOf(id), constants.O_RDONLY);
    if (!opened.ok) return opened;
    try {
      const content = await readSession(opened.value, id + EXTENSION);
      return content.ok ? succeed({ events: content.value.events, warnings: content.value.warnings }) : content;
    } catch (error) {
      return diskFailure(`The session ${id} cannot be read`, error);
    } finally {
      await opened.value.close();
    }
  }

  async list(options: Parameters<SessionStore['list']>[0] = {}): Promise<Outcome<SessionSummary[]>> {
    const { workspace, alias, limit } = options;
    const look = await this.#look();
    const { ids } = look;
    const indexed = ids.length < STORAGE_LIMITS.sessionIndexFrom ? undefined : await this.#index.list(look, options);
    if (indexed) return succeed(indexed);
    const summaries: SessionSummary[] = [];
    for (let from = 0; from < ids.length; from += STORAGE_LIMITS.sessionListAtOnce) {
      const part = ids.slice(from, from + STORAGE_LIMITS.sessionListAtOnce);
      for (const summary of await Promise.all(part.map((id) => summarize(this.#pathOf(id), id)))) {
        if (summary && (workspace === undefined || [workspace, alias].includes(summary.workspace)))
          summaries.push(summary);
      }
    }
    summaries.sort(newestFirst);
    return succeed(limit === undefined ? summaries : summaries.slice(0, limit));
  }

  async holding(words: readonly string[], onReading?: OnReading): ReturnType<NonNullable<SessionStore['holding']>> {
    const look = await this.#look();
    return succeed(
      look.ids.length < STORAGE_LIMITS.sessionIndexFrom ? undefined : await this.#index.holding(look, words, onReading),
    );
  }

  async remove(id: string): Promise<Outcome<void>> {
    const checked = checkSessionId(id);
    if (!checked.ok) return checked;
    const opened = await openFile(this.#pathOf(id), constants.O_RDONLY);
    if (!opened.ok) return opened;
    await opened.value.close();
    const held = await this.#lock(id);
    if (!held.ok) return held;
    try {
      await removeFiles(this.#folder, id);
      if (this.#promptStates !== undefined) await rm(this.#promptStates, { recursive: true, force: true });
      return succeed(undefined);
    } catch (error) {
      return diskFailure(`The session ${id} cannot be removed`, error);
    } finally {
      held.value.release();
    }
  }

  #pathOf(id: string): string {
    // Thousands are looked at for one list, and `join` takes as long as the look.
    return `${this.#folder}${sep}${id}${EXTENSION}`;
  }

  async #ids(): Promise<string[]> {
    return (await readdir(this.#folder).catch(() => []))
      .filter((name) => name.endsWith(EXTENSION))
      .map((name) => name.slice(0, -EXTENSION.length))
      .filter((id) => checkSessionId(id).ok);
  }

  async #words(id: string): Promise<string> {
    const content = await this.read(id);
    if (!content.ok) return '';
    const { events } = content.value;
    const said = [...transcriptOf(events), ...setAsideIn(events)];
    const texts = spoken(said).map(({ text }) => text.replaceAll(/\s+/g, ' '));
    return texts.join('\n').toLowerCase();
  }

  async #lock(id: string) {
    const held = await takeLock(join(this.#folder, 'locks', `${id}.lock`));
    if (held.ok || held.error.reason !== 'in_use') return held;
    return failure(
      'io_error',
      `The session ${id} is open in another halter; close it there, or go on with a copy of it (--fork)`,
      'in_use',
    );
  }

  async #openLocked(id: string, release: () => void): ReturnType<SessionStore['open']> {
    const path = this.#pathOf(id);
    const existing = await openFile(path, constants.O_RDWR);
    if (!existing.ok && existing.error.error_type !== 'not_found') return existing;
    const isNew = !existing.ok;
    const opened = isNew ? await openFile(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL) : existing;
    if (!opened.ok) return opened;
    const file = opened.value;
    const content = await readRepaired(file, path, id, this.#now);
    if (!content.ok) {
      await file.close();
      return content;
    }
    const { events, warnings, goodBytes } = content.value;
    const begins = goodBytes === 0;
    const log = createSessionLog({
      name: id,
      file,
      size: goodBytes,
      facts: followFacts(events),
      header: begins ? encodeHeader(id, this.#now()) : undefined,
      afterFirstWrite: begins ? () => flushFolder(this.#folder) : undefined,
      release,
    });
    return succeed({ log, events, warnings });
  }
}

/** Puts a torn end aside and ends a last line that lacks its newline. */
const readRepaired = async (
  file: FileHandle,
  path: string,
  id: string,
  now: () => number,
): Promise<Outcome<SessionContent>> => {
  try {
    const read = await readSession(file, id + EXTENSION);
    if (!read.ok) return read;
    const content = read.value;
    if (content.goodBytes < content.totalBytes) {
      const backup = `${path}.torn-${now()}`;
      await copyEnd(file, content.goodBytes, content.totalBytes, backup);
      await file.truncate(content.goodBytes);
      // One thing happened, so there is one warning.
      const torn = content.warnings.findLastIndex((warning) => warning.includes(TORN));
      content.warnings[torn] += `; what was there of it is kept in ${backup}`;
    } else if (content.newlineMissing) {
      await file.write('\n', content.totalBytes);
      content.goodBytes += 1;
    }
    return read;
  } catch (error) {
    return diskFailure(`The session ${id} cannot be read`, error);
  }
};

/** The session's file, the torn ends beside it, its offloaded results and its documents. */
const removeFiles = async (folder: string, id: string): Promise<void> => {
  const names = await readdir(folder);
  const own = names.filter((name) => name === id + EXTENSION || name.startsWith(`${id}${EXTENSION}.torn-`));
  for (const name of own) await rm(join(folder, name), { force: true });
  await rm(join(folder, `${id}.results`), { recursive: true, force: true });
  await rm(documentsFolder(folder, id), { recursive: true, force: true });
};

const openFile = async (path: string, flags: number): Promise<Outcome<FileHandle>> => {
  try {
    const file = await open(path, flags | SAFELY, 0o600);
    if ((await file.stat()).isFile()) return succeed(file);
    await file.close();
    return failure('validation_failed', `${path} is no ordinary file`, 'not_a_file');
  } catch (error) {
    // Whoever asks over HTTP need not learn where the machine keeps its sessions.
    if (errorCode(error) === 'ENOENT') return failure('not_found', `There is no session ${basename(path, EXTENSION)}`);
    if (errorCode(error) === 'ELOOP') return failure('validation_failed', `${path} is a symlink`, 'not_a_file');
    return diskFailure(`${path} cannot be opened`, error);
  }
};

const summarize = async (path: string, id: string): Promise<SessionSummary | undefined> => {
  const opened = await openFile(path, constants.O_RDONLY);
  if (!opened.ok) return undefined;
  try {
    return await summarizeSession(opened.value, id);
  } catch {
    return undefined;
  } finally {
    await opened.value.close();
  }
};

const copyEnd = async (file: FileHandle, from: number, to: number, path: string): Promise<void> => {
  const buffer = Buffer.allocUnsafe(Math.min(to - from, STORAGE_LIMITS.sessionReadBytes));
  const copy = await open(path, 'wx', 0o600);
  try {
    for (let position = from; position < to; ) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, to - position), position);
      if (bytesRead === 0) break;
      await copy.write(buffer, 0, bytesRead);
      position += bytesRead;
    }
    await copy.sync();
  } finally {
    await copy.close();
  }
};
