/** The entries of a folder; those whose names are no UTF-8 apart, since a path in text leads to another file, or to none. */
import fs from 'node:fs';
import { mayBeOdd, splitNames } from '../core/byte-names.ts';
import { statAt } from './place.ts';

export type Entry = Pick<fs.Dirent, 'name' | 'isFile' | 'isDirectory' | 'isSymbolicLink' | 'isCharacterDevice'>;
/** `shown`: for people, and as a part of names that are made. */
export type OddEntry = { bytes: Buffer; shown: string };
export type FolderEntries = { entries: Entry[]; odd: OddEntry[] };

/** Throws what the system says. */
export const readEntries = (folder: string): FolderEntries => {
  const entries = fs.readdirSync(folder, { withFileTypes: true });
  if (!entries.some(({ name }) => mayBeOdd(name))) return { entries, odd: [] };
  const { texts, odd } = splitNames(fs.readdirSync(folder, { encoding: 'buffer' }));
  // What was read first does not tell such a name from one that it looks like.
  const plain = entries.filter(({ name }) => !mayBeOdd(name));
  return { entries: [...plain, ...texts.filter(mayBeOdd).flatMap((name) => entryAt(folder, name))], odd };
};

/** Empty where it cannot be read. */
export const oddIn = (folder: string): OddEntry[] => {
  try {
    return readEntries(folder).odd;
  } catch {
    return [];
  }
};

export const readNames = (folder: string): string[] => readEntries(folder).entries.map(({ name }) => name);

/** Empty where it cannot be read. */
export const entriesIn = (folder: string): Entry[] => {
  try {
    return readEntries(folder).entries;
  } catch {
    return [];
  }
};
export const namesIn = (folder: string): string[] => entriesIn(folder).map(({ name }) => name);

/** A path for system calls. */
export const pathOfBytes = (folder: string | Buffer, name: Buffer): Buffer =>
  Buffer.concat([Buffer.from(folder), Buffer.from('/'), name]);

const entryAt = (folder: string, name: string): Entry[] => {
  const stat = statAt(`${folder}/${name}`);
  if (stat === undefined) return [];
  return [
    {
      name,
      isFile: () => stat.isFile(),
      isDirectory: () => stat.isDirectory(),
      isSymbolicLink: () => stat.isSymbolicLink(),
      isCharacterDevice: () => stat.isCharacterDevice(),
    },
  ];
};
