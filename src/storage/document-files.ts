/** Files that a person put into a conversation, beside the session that they belong to; they are deleted with it. */
import { cp, readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { LIMITS } from '../core/limits.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { diskFailure } from '../disk/disk-failure.ts';
import { writeFileAtomically } from './atomic-file.ts';
import { STORAGE_LIMITS } from './limits.ts';
import { readOwnFile } from './own-file.ts';

export type StoredDocument = { name: string; size_bytes: number; added_at: number };

export type DocumentFiles = {
  /** Where they are files; absent where each machine has to have a copy of them. */
  readonly folder?: string;
  keep(name: string, bytes: Uint8Array): Promise<Outcome<void>>;
  /** Undefined where there is none of that name. */
  read(name: string): Promise<Outcome<Uint8Array | undefined>>;
  remove(name: string): Promise<Outcome<void>>;
  /** In the order in which they came. */
  list(): Promise<Outcome<StoredDocument[]>>;
};

export const documentsFolder = (sessionsFolder: string, id: string): string => join(sessionsFolder, `${id}.documents`);

/** Names were made fit when the documents came; here it only counts that none leads out of the folder. */
export const isDocumentName = (name: string): boolean =>
  name !== '' && !name.startsWith('.') && !/[/\\\0]/.test(name) && basename(name) === name;

export const createDocumentFiles = (folder: string): DocumentFiles & { folder: string } => ({
  folder,
  async keep(name, bytes) {
    if (!isDocumentName(name)) return failure('validation_failed', `${JSON.stringify(name)} is no name of a document`);
    return writeFileAtomically(join(folder, name), bytes);
  },
  async read(name) {
    if (!isDocumentName(name)) return succeed(undefined);
    return readOwnFile(join(folder, name), LIMITS.indexDocumentBytes, 'it is not shown');
  },
  async remove(name) {
    if (!isDocumentName(name)) return succeed(undefined);
    try {
      await rm(join(folder, name), { force: true });
      return succeed(undefined);
    } catch (error) {
      return diskFailure(`${name} cannot be removed`, error);
    }
  },
  async list() {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const files = entries
      .filter((entry) => entry.isFile() && isDocumentName(entry.name))
      .slice(0, STORAGE_LIMITS.chatDocuments);
    const found: StoredDocument[] = [];
    for (const { name } of files) {
      const facts = await stat(join(folder, name)).catch(() => undefined);
      if (facts) found.push({ name, size_bytes: facts.size, added_at: Math.round(facts.mtimeMs) });
    }
    return succeed(found.sort((a, b) => a.added_at - b.added_at || (a.name < b.name ? -1 : 1)));
  },
});

/** A session that begins as a copy has the same documents; what was made of them is made again. */
export const copyDocumentFiles = async (sessionsFolder: string, from: string, to: string): Promise<void> => {
  const source = documentsFolder(sessionsFolder, from);
  await cp(source, documentsFolder(sessionsFolder, to), {
    recursive: true,
    preserveTimestamps: true,
    filter: (path) => path === source || isDocumentName(basename(path)),
  }).catch(() => undefined);
};
