/**
 * The documents of one chat: files that a person put into it, with an index of their own. The index is made again where
 * it is missing or damaged, and goes with the chat.
 */

import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { documentName } from '../../core/document-names.ts';
import { LIMITS } from '../../core/limits.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { isSecretPath } from '../../core/policy/sensitive-files.ts';
import type { Embedder, IndexProgress, SearchHit, SearchOptions } from '../../core/retrieval-port.ts';
import { writeFailure } from '../../disk/disk-failure.ts';
import { makeFolder } from '../../disk/make-folder.ts';
import { createWorkspace } from '../../io/workspace.ts';
import { SEARCH_LIMITS } from '../../search/limits.ts';
import { openRetrieval, type RetrievalService } from '../../search/open-retrieval.ts';
import type { DocumentFiles } from '../../storage/document-files.ts';
import { STORAGE_LIMITS } from '../../storage/limits.ts';
import { createWorkingCopy, type WorkingCopy } from './working-copy.ts';

export type ChatDocument = {
  name: string;
  size_bytes: number;
  /** Lines that can be searched. */
  lines: number;
  /** Milliseconds since 1970. */
  added_at: number;
};

export type ChatDocuments = {
  /** In the order in which they came, as of the last look. */
  list(): readonly ChatDocument[];
  /** Looks what others put there or removed meanwhile. */
  bringUp(): Promise<Outcome<void>>;
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

export const openChatDocuments = async (kept: DocumentFiles, embedder: Embedder | undefined): Promise<ChatDocuments> =>
  new IndexedDocuments(createWorkingCopy(kept), embedder);

type AddOptions = { signal?: AbortSignal; onProgress?(progress: IndexProgress): void };

class IndexedDocuments implements ChatDocuments {
  readonly #copy: WorkingCopy;
  readonly #embedder: Embedder | undefined;
  #known: readonly ChatDocument[] = [];
  #isPrepared = false;
  #service: RetrievalService | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(copy: WorkingCopy, embedder: Embedder | undefined) {
    this.#copy = copy;
    this.#embedder = embedder;
  }

  bringUp(): Promise<Outcome<void>> {
    return this.#inTurn(() => this.#bringUp());
  }

  list(): readonly ChatDocument[] {
    return this.#known;
  }

  async add({ name: given, bytes }: { name: string; bytes: Uint8Array }, options: AddOptions = {}) {
    const named = documentName(given);
    if (!named.ok) return named;
    const name = withEnding(named.value, bytes);
    return this.#inTurn(() => this.#keep(name, bytes, options));
  }

  remove(name: string): Promise<Outcome<void>> {
    return this.#inTurn(async () => {
      const current = await this.#bringUp();
      if (!current.ok) return current;
      if (!this.#has(name)) return noSuchDocument(name);
      const removed = await this.#copy.remove(name);
      if (!removed.ok) return removed;
      this.#known = this.#known.filter((document) => document.name !== name);
      const opened = await this.#open();
      if (opened.ok) {
        await opened.value.index({ paths: [name] });
        await opened.value.close();
      }
      return succeed(undefined);
    });
  }

  search(query: string, options: SearchOptions): Promise<Outcome<SearchHit[]>> {
    return this.#inTurn(async () => {
      const current = await this.#bringUp();
      if (!current.ok) return current;
      const opened = await this.#open();
      if (!opened.ok) return opened;
      const found = await opened.value.search(query, options);
      await opened.value.close();
      return found;
    });
  }

  async read(name: string): Promise<Outcome<Uint8Array>> {
    const current = await this.bringUp();
    if (!current.ok) return current;
    if (!this.#has(name)) return noSuchDocument(name);
    const { isDocument } = await import('../../search/read-text.ts');
    if (!isDocument(name)) {
      const read = await (await this.#copy.local()).read(name);
      if (!read.ok) return read;
      return read.value ? succeed(read.value) : failure('not_found', `${name} is gone.`);
    }
    const opened = await this.#open();
    const text = opened.ok ? await opened.value.textOf(name) : opened;
    if (!text.ok) return failure('io_error', `${name} cannot be read: its index is gone.`);
    return succeed(new TextEncoder().encode(text.value));
  }

  close(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#service?.close();
      this.#service = undefined;
      this.#isPrepared = false;
      await this.#copy.close();
    });
  }

  #has(name: string): boolean {
    return this.#known.some((document) => document.name === name);
  }

  /** One after the other: a file and what the index says of it belong together. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#queue.then(work, work);
    this.#queue = mine.catch(() => undefined);
    return mine;
  }

  /** An index that is not there (a copied chat, an older one of another form) is made of the files. */
  async #bringUp(): Promise<Outcome<void>> {
    const found = await this.#copy.bringUp();
    if (!found.ok) return found;
    const { stored, changed } = found.value;
    const isFirst = !this.#isPrepared && stored.length > 0;
    this.#isPrepared = true;
    if (isFirst || changed.length > 0) {
      const opened = await this.#open();
      // Without one they can be listed all the same.
      if (!opened.ok) return succeed(undefined);
      if (!(await opened.value.exists())) await opened.value.index();
      else if (changed.length > 0) await opened.value.index({ paths: changed });
    }
    const lines = new Map(this.#known.map(({ name, lines }) => [name, lines]));
    for (const { path, lines: held } of await this.#facts()) lines.set(path, held);
    this.#known = stored.map((file) => ({ ...file, lines: lines.get(file.name) ?? 0 }));
    await this.#service?.close();
    return succeed(undefined);
  }

  async #open(): Promise<Outcome<RetrievalService>> {
    if (this.#service) return succeed(this.#service);
    const { folder } = await this.#copy.local();
    try {
      makeFolder(folder);
    } catch (error) {
      return writeFailure(`Documents cannot be kept in ${folder}`, error);
    }
    const workspace = await createWorkspace({ root: realpathSync(folder) });
    if (!workspace.ok) return workspace;
    const dataFolder = join(folder, INDEX_FOLDER);
    this.#service = openRetrieval({ dataFolder, workspace: workspace.value, embedder: this.#embedder });
    return succeed(this.#service);
  }

  /** What the index holds of each file. */
  async #facts() {
    const held = await this.#service?.contents();
    return held?.ok ? held.value : [];
  }

  /** It is kept for all once it was read here. */
  async #keep(name: string, bytes: Uint8Array, options: AddOptions): Promise<Outcome<ChatDocument>> {
    const current = await this.#bringUp();
    if (!current.ok) return current;
    const allowed = await this.#mayTake(name, bytes);
    if (!allowed.ok) return allowed;
    const local = await this.#copy.local();
    const before = await local.read(name);
    if (!before.ok) return before;
    const written = await local.keep(name, bytes);
    if (!written.ok) return written;
    const taken = await this.#take(name, options);
    const kept = taken.ok ? await this.#copy.publish(name, bytes) : taken;
    if (!kept.ok) await this.#giveUp(name, before.value);
    // The thread that reads and writes is not needed until the next one comes.
    await this.#service?.close();
    if (!taken.ok) return taken;
    if (!kept.ok) return kept;
    const listed = await this.#bringUp();
    if (!listed.ok) return listed;
    const document = this.#known.find((each) => each.name === name);
    return document ? succeed({ ...document, lines: taken.value.lines }) : failure('io_error', `${name} is gone again`);
  }

  async #mayTake(name: string, bytes: Uint8Array): Promise<Outcome<void>> {
    const { maxBytesOf } = await import('../../search/read-text.ts');
    if (isSecretPath(name)) {
      const message = `${name} is named like a file of secrets, and those are not searched.`;
      return failure('validation_failed', message, 'secret');
    }
    if (bytes.length > maxBytesOf(name)) {
      return failure('validation_failed', tooLarge(name, maxBytesOf(name)), 'too_large');
    }
    const others = this.#known.filter((document) => document.name !== name);
    const room = SEARCH_LIMITS.chatDocumentsBytes - others.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
    if (others.length >= STORAGE_LIMITS.chatDocuments || bytes.length > room) {
      const most = `${STORAGE_LIMITS.chatDocuments} documents or ${megabytes(SEARCH_LIMITS.chatDocumentsBytes)}`;
      return failure('validation_failed', `A chat holds at most ${most}; remove one first.`, 'full');
    }
    return succeed(undefined);
  }

  /** Why this file can not be found again, or what the index holds of it. */
  async #take(name: string, { signal, onProgress }: AddOptions): Promise<Outcome<{ lines: number }>> {
    const opened = await this.#open();
    if (!opened.ok) return opened;
    const done = await opened.value.index({ paths: [name], signal, ...(onProgress ? { onProgress } : {}) });
    // An index that had to be rebuilt holds this file alone.
    if (done.ok && done.value.notes.length > 0) await opened.value.index();
    if (!done.ok) return done;
    if (done.value.cancelled || signal?.aborted) {
      return failure('io_error', `${name} was not taken in: the upload was given up`, 'cancelled');
    }
    const file = (await this.#facts()).find(({ path }) => path === name);
    if (file === undefined) return failure('io_error', `${name} could not be read`, 'unreadable');
    if (file.note !== '') return failure('validation_failed', refusal(name, file.note), 'unsupported');
    return file.chunks > 0
      ? succeed({ lines: file.lines })
      : failure('validation_failed', `${name} holds no text: a scan, or an empty file.`, 'no_text');
  }

  /** What was there before comes back. */
  async #giveUp(name: string, before: Uint8Array | undefined): Promise<void> {
    const local = await this.#copy.local();
    if (before) await local.keep(name, before);
    else await local.remove(name);
    await this.#service?.index({ paths: [name] });
  }
}

const noSuchDocument = (name: string) =>
  failure('not_found', `This chat has no document ${JSON.stringify(name.slice(0, 200))}.`);

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
