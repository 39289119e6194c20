/**
 * The documents of a chat as files on this machine, which an index is made of. Where they are kept in files, these are the
 * files. Where they are kept in a database that many machines share, they are copied into a folder of this process, and
 * brought up to date before they are used.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Outcome, succeed } from '../../core/outcome.ts';
import { createDocumentFiles, type DocumentFiles, type StoredDocument } from '../../storage/document-files.ts';

type LocalFiles = ReturnType<typeof createDocumentFiles>;

export type WorkingCopy = {
  /** Made at the first need. */
  local(): Promise<LocalFiles>;
  /** What is kept now, and the names of those that are other files here than before. */
  bringUp(): Promise<Outcome<{ stored: StoredDocument[]; changed: string[] }>>;
  /** What lies here now is kept for all. */
  publish(name: string, bytes: Uint8Array): Promise<Outcome<void>>;
  remove(name: string): Promise<Outcome<void>>;
  close(): Promise<void>;
};

export const createWorkingCopy = (kept: DocumentFiles): WorkingCopy =>
  kept.folder === undefined ? new CopiedFiles(kept) : sameFiles(kept, createDocumentFiles(kept.folder));

const sameFiles = (kept: DocumentFiles, local: LocalFiles): WorkingCopy => ({
  local: async () => local,
  async bringUp() {
    const stored = await kept.list();
    return stored.ok ? succeed({ stored: stored.value, changed: [] }) : stored;
  },
  publish: async () => succeed(undefined),
  remove: (name) => kept.remove(name),
  async close() {},
});

class CopiedFiles implements WorkingCopy {
  readonly #kept: DocumentFiles;
  /** When each that was copied had been added. */
  readonly #copied = new Map<string, number>();
  #local: Promise<LocalFiles> | undefined;

  constructor(kept: DocumentFiles) {
    this.#kept = kept;
  }

  local(): Promise<LocalFiles> {
    this.#local ??= mkdtemp(join(tmpdir(), 'halter-documents-')).then(createDocumentFiles);
    return this.#local;
  }

  async bringUp(): Promise<Outcome<{ stored: StoredDocument[]; changed: string[] }>> {
    const stored = await this.#kept.list();
    if (!stored.ok) return stored;
    const changed: string[] = [];
    const names = new Set(stored.value.map(({ name }) => name));
    for (const name of [...this.#copied.keys()]) {
      if (names.has(name)) continue;
      const removed = await (await this.local()).remove(name);
      if (!removed.ok) return removed;
      this.#copied.delete(name);
      changed.push(name);
    }
    for (const { name, added_at } of stored.value) {
      if (this.#copied.get(name) === added_at) continue;
      const read = await this.#kept.read(name);
      if (!read.ok) return read;
      // Removed in between: the next look sees that.
      if (read.value === undefined) continue;
      const copied = await (await this.local()).keep(name, read.value);
      if (!copied.ok) return copied;
      this.#copied.set(name, added_at);
      changed.push(name);
    }
    return succeed({ stored: stored.value, changed });
  }

  publish(name: string, bytes: Uint8Array): Promise<Outcome<void>> {
    return this.#kept.keep(name, bytes);
  }

  async remove(name: string): Promise<Outcome<void>> {
    const removed = await this.#kept.remove(name);
    return removed.ok ? (await this.local()).remove(name) : removed;
  }

  async close(): Promise<void> {
    const local = await this.#local;
    this.#local = undefined;
    this.#copied.clear();
    if (local !== undefined) await rm(local.folder, { recursive: true, force: true });
  }
}
