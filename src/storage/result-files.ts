/** Results too long for a model's window, whole, beside the session that they belong to. */
import { cp, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { LIMITS } from '../core/limits.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { writeFileAtomically } from './atomic-file.ts';
import { readOwnFile } from './own-file.ts';

export type ResultFiles = {
  keep(name: string, text: string): Promise<Outcome<void>>;
  read(name: string): Promise<Outcome<Uint8Array>>;
  names(): Promise<string[]>;
};

/** Names come from ids that a model or a server chose. */
export const isResultName = (name: string): boolean => /^[A-Za-z0-9_-]{1,80}\.txt$/.test(name);

/** Without a folder, they live as long as this process. */
export const createResultFiles = (folder: string | undefined): ResultFiles => {
  const inMemory = new Map<string, string>();
  return {
    async keep(name, text) {
      if (!isResultName(name)) return failure('validation_failed', `${name} is no name of a result`);
      if (folder === undefined) {
        inMemory.set(name, text);
        return succeed(undefined);
      }
      return writeFileAtomically(join(folder, name), text);
    },
    async read(name) {
      const text = inMemory.get(name);
      if (text !== undefined) return succeed(new TextEncoder().encode(text));
      if (folder === undefined || !isResultName(name)) return failure('not_found', `There is no result ${name}`);
      const read = await readOwnFile(join(folder, name), LIMITS.readFileBytes, 'it is not shown');
      if (!read.ok) return read;
      return read.value === undefined ? failure('not_found', `There is no result ${name}`) : succeed(read.value);
    },
    async names() {
      if (folder === undefined) return [...inMemory.keys()];
      return (await readdir(folder).catch(() => [])).filter(isResultName);
    },
  };
};

/** A session that begins as a copy can show what the other one had put aside. */
export const copyResultFiles = async (sessionsFolder: string, from: string, to: string): Promise<void> => {
  const source = join(sessionsFolder, `${from}.results`);
  await cp(source, join(sessionsFolder, `${to}.results`), {
    recursive: true,
    filter: (path) => path === source || isResultName(basename(path)),
  }).catch(() => undefined);
};
