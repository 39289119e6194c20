/**
 * The documents of one chat: files that a person put into it, with an index of their own. The index is made again where
 * it is missing or damaged, and goes with the chat.
 */

import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { documentName } from '../../core/document-names.ts';
import { LIMITS } from '../../core/limits.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { isSecretPath } from '../../core/policy/sensitive-files.ts';
import type { Embedder, IndexProgress, SearchHit, SearchOptions } from '../../core/retrieval-port.ts';
import { createWorkspace } from '../../io/workspace.ts';
import { SEARCH_LIMITS } from '../../search/limits.ts';
import { openRetrieval, type RetrievalService } from '../../search/open-retrieval.ts';
import { createDocumentFiles } from '../../storage/document-files.ts';
import { STORAGE_LIMITS } from '../../storage/limits.ts';

export type ChatDocument = {
  name: string;
  size_bytes: number;
  /** Lines that can be searched. */
  lines: number;
  /** Milliseconds since 1970. */
  added_at: number;
};

export type ChatDocuments = {
  /** In the order in which they came. */
  list(): readonly ChatDocument[];
  /** Takes a file in: kept, read and indexed, or refused with the reason. One of the same name makes room. */
  add(
    file: { name: string; bytes: Uint8Array },
    options?: { signal?: AbortSignal; onProgress?(progress: IndexProgress): void },
  ): Promise<Outcome<ChatDocument>>;
  remove(name: string): Promise<Outcome<void>>;
  search(query: string, options: SearchOptions): Promise<Outcome<SearchHit[]>>;
  /** Its text: what a PDF or an Office file says, line by line, or the file itself. */
  read(name: string): Promise<Outcome<Uint8Array>>;
  /** Lets go of everything that is open; what comes later opens it again. */
  close(): Promise<void>;
};

/** Not listed among the documents, since its name begins with a dot. */
const INDEX_FOLDER = '.index';

export const openChatDocuments = async (folder: string, embedder: Embedder | undefined): Promise<ChatDocuments> => {
  const files = createDocumentFiles(folder);
  let known: readonly ChatDocument[] = (await files.list()).map((file) => ({ ...file, lines: 0 }));
  let service: RetrievalService | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  /** One after the other: a file and what the index says of it belong together. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = queue.then(work, work);
    queue = mine.catch(() => undefined);
    return mine;
  };
  const open = async (): Promise<Outcome<RetrievalService>> => {
    if (service) return succeed(service);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const workspace = await createWorkspace({ root: realpathSync(folder) });
    if (!workspace.ok) return workspace;
    const dataFolder = join(folder, INDEX_FOLDER);
    service = openRetrieval({ dataFolder, workspace: workspace.value, embedder });
    return succeed(service);
  };
  const indexed = async () => {
    if (!service || !existsSync(service.file)) return undefined;
    const [{ openForReading }, { indexedFiles, indexedText }] = await Promise.all([
      import('../../search/database.ts'),
      import('../../search/indexed-text.ts'),
    ]);
    const database = openForReading(service.file);
    return database && { database, indexedFiles, indexedText };
  };
  /** What the index holds of each file. */
  const facts = async () => {
    const opened = await indexed();
    if (!opened) return [];
    try {
      return opened.indexedFiles(opened.database);
    } finally {
      opened.database.close();
    }
  };
  const noteLines = async (): Promise<void> => {
    const lines = new Map((await facts()).map((file) => [file.path, file.lines]));
    known = known.map((document) => ({ ...document, lines: lines.get(document.name) ?? document.lines }));
  };

  /** Once: an index that is not there (a copied chat, an older one of another form) is made of the files. */
  let ready: Promise<void> | undefined;
  const prepare = (): Promise<void> => {
    ready ??= (async () => {
      if (known.length === 0) return;
      const opened = await open();
      if (!opened.ok) return;
      if (!existsSync(opened.value.file)) await opened.value.index();
      await noteLines();
      await opened.value.close();
    })();
    return ready;
  };
  await prepare();

  /** Why this file can not be found again, or what the index holds of it. */
  const take = async (
    name: string,
    { signal, onProgress }: { signal?: AbortSignal; onProgress?(progress: IndexProgress): void },
  ): Promise<Outcome<{ lines: number }>> => {
    const opened = await open();
    if (!opened.ok) return opened;
    const given = { signal, ...(onProgress ? { onProgress } : {}) };
    const done = await opened.value.index({ paths: [name], ...given });
    // An index that had to be rebuilt holds this file alone.
    if (done.ok && done.value.notes.length > 0) await opened.value.index();
    if (!done.ok) return done;
    if (done.value.cancelled || signal?.aborted)
      return failure('io_error', `${name} was not taken in: the upload was given up`, 'cancelled');
    const file = (await facts()).find(({ path }) => path === name);
    if (file === undefined) return failure('io_error', `${name} could not be read`, 'unreadable');
    if (file.note !== '') return failure('validation_failed', refusal(name, file.note), 'unsupported');
    return file.chunks > 0
      ? succeed({ lines: file.lines })
      : failure('validation_failed', `${name} holds no text: a scan, or an empty file.`, 'no_text');
  };
  /** What was there before comes back. */
  const giveUp = async (name: string, before: Uint8Array | undefined): Promise<void> => {
    if (before) await files.keep(name, before);
    else await files.remove(name);
    await service?.index({ paths: [name] });
  };
  const refused = async (name: string, bytes: Uint8Array): Promise<Outcome<void>> => {
    const { maxBytesOf } = await import('../../search/read-text.ts');
    if (isSecretPath(name)) {
      return failure(
        'validation_failed',
        `${name} is named like a file of secrets, and those are not searched.`,
        'secret',
      );
    }
    if (bytes.length > maxBytesOf(name))
      return failure('validation_failed', tooLarge(name, maxBytesOf(name)), 'too_large');
    const others = known.filter((document) => document.name !== name);
    const room = SEARCH_LIMITS.chatDocumentsBytes - others.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
    if (others.length >= STORAGE_LIMITS.chatDocuments || bytes.length > room) {
      const most = `${STORAGE_LIMITS.chatDocuments} documents or ${megabytes(SEARCH_LIMITS.chatDocumentsBytes)}`;
      return failure('validation_failed', `A chat holds at most ${most}; remove one first.`, 'full');
    }
    return succeed(undefined);
  };

  return {
    list: () => known,
    async add({ name: given, bytes }, options = {}) {
      const named = documentName(given);
      if (!named.ok) return named;
      const name = withEnding(named.value, bytes);
      return inTurn(async () => {
        const allowed = await refused(name, bytes);
        if (!allowed.ok) return allowed;
        const before = await files.read(name);
        if (!before.ok) return before;
        const kept = await files.keep(name, bytes);
        if (!kept.ok) return kept;
        const taken = await take(name, options);
        if (!taken.ok) await giveUp(name, before.value);
        // The thread that reads and writes is not needed until the next one comes.
        await service?.close();
        if (!taken.ok) return taken;
        const stored = (await files.list()).find((file) => file.name === name);
        if (!stored) return failure('io_error', `${name} is gone again`);
        const document = { ...stored, lines: taken.value.lines };
        known = [...known.filter((each) => each.name !== name), document];
        return succeed(document);
      });
    },
    remove: (name) =>
      inTurn(async () => {
        if (!known.some((document) => document.name === name)) {
          return failure('not_found', `This chat has no document ${JSON.stringify(name.slice(0, 200))}.`);
        }
        const removed = await files.remove(name);
        if (!removed.ok) return removed;
        known = known.filter((document) => document.name !== name);
        const opened = await open();
        if (opened.ok) {
          await opened.value.index({ paths: [name] });
          await opened.value.close();
        }
        return succeed(undefined);
      }),
    search: (query, options) =>
      inTurn(async () => {
        const opened = await open();
        if (!opened.ok) return opened;
        const found = await opened.value.search(query, options);
        await opened.value.close();
        return found;
      }),
    async read(name) {
      if (!known.some((document) => document.name === name)) {
        return failure('not_found', `This chat has no document ${JSON.stringify(name.slice(0, 200))}.`);
      }
      const { isDocument } = await import('../../search/read-text.ts');
      if (!isDocument(name)) {
        const read = await files.read(name);
        if (!read.ok) return read;
        return read.value ? succeed(read.value) : failure('not_found', `${name} is gone.`);
      }
      await open();
      const opened = await indexed();
      if (!opened) return failure('io_error', `${name} cannot be read: its index is gone.`);
      try {
        return succeed(new TextEncoder().encode(opened.indexedText(opened.database, name)));
      } finally {
        opened.database.close();
      }
    },
    close: () =>
      inTurn(async () => {
        await service?.close();
        service = undefined;
      }),
  };
};

const megabytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MB`;

const tooLarge = (name: string, most: number): string =>
  `${name} is too large: text may have ${megabytes(SEARCH_LIMITS.indexFileBytes)}, PDF and Office files ${megabytes(LIMITS.indexDocumentBytes)}. The limit for this one is ${megabytes(most)}.`;

const refusal = (name: string, note: string): string =>
  note === 'binary'
    ? `${name} is no text. Text, Markdown, code, PDF and Office files (.docx, .pptx, .xlsx, .odt, .odp, .ods) can be searched.`
    : `${name} cannot be searched: ${note}.`;

/** What a file is says its content; a PDF without its ending is one all the same. */
const withEnding = (name: string, bytes: Uint8Array): string => {
  const isPdf = new TextDecoder('latin1').decode(bytes.subarray(0, 5)) === '%PDF-';
  return isPdf && !/\.pdf$/i.test(name) ? `${name}.pdf` : name;
};
