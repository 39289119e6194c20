/** Finds files of the workspace by the words that may name them. Nothing outside the given folders is looked at. */
import { readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { AGENT_LIMITS } from '../../limits.ts';

/** Data that a server keeps or reads; what stands in it is not run. */
const DATA =
  /\.(?:db|sqlite3?|db-(?:wal|shm|journal)|log|csv|tsv|parquet|txt|md|pdf|jsonl|ndjson|lock|png|jpe?g|gif|webp|svg|ico|zip|gz|bz2|xz|pid|sock)$/i;
/** Endings that an interpreter or a bundler adds by itself. */
const ENDINGS = [
  '',
  '.js',
  '.mjs',
  '.cjs',
  '.ts',
  '.mts',
  '.cts',
  '.tsx',
  '.jsx',
  '.json',
  '.py',
  '.rb',
  '.sh',
  '.php',
  '.lua',
  '.pl',
  '.pm',
  '.node',
  '.so',
];
const ENTRIES = ['package.json', 'index.js', 'index.mjs', 'index.cjs', 'index.ts', '__main__.py', '__init__.py'];

export const statOf = (file: string): Stats | undefined => {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
};

export const realPath = (file: string): string => {
  try {
    return realpathSync.native(file);
  } catch {
    // What is not there yet lies where its folder really is.
    const folder = path.dirname(file);
    return folder === file ? file : path.join(realPath(folder), path.basename(file));
  }
};

/** The beginning of a file as text, as far as it is looked at; empty where it cannot be read. */
export const textOf = (file: string): string => {
  const stat = statOf(file);
  if (!stat?.isFile() || stat.size > AGENT_LIMITS.mcpStartedFileBytes) return '';
  try {
    return readFileSync(file, 'utf8').slice(0, AGENT_LIMITS.mcpStartedTextCharacters);
  } catch {
    return '';
  }
};

export type Lookup = {
  /** The files that a word may mean, seen from a folder. */
  files(folder: string, word: string): string[];
  /** The folder that a word names. */
  folder(folder: string, word: string): string | undefined;
  /** What is run where a program is given a folder. */
  entries(folder: string): string[];
  isInside(file: string): boolean;
};

export const lookupIn = (roots: readonly string[]): Lookup => {
  const isInside = (file: string): boolean =>
    roots.some((root) => file === root || file.startsWith(root === '/' ? '/' : `${root}/`));
  const isFile = (file: string): boolean => isInside(file) && statOf(file)?.isFile() === true;
  const isUsable = (word: string): boolean =>
    word !== '' &&
    word.length <= AGENT_LIMITS.mcpStartedWordCharacters &&
    !word.includes('\0') &&
    !/^[a-z]+:\/\/(?!\/)/i.test(word);
  const placeOf = (folder: string, word: string): string => path.resolve(folder, word.replace(/^file:\/\//i, ''));
  return {
    isInside,
    files(folder, word) {
      if (!isUsable(word) || DATA.test(word)) return [];
      const place = placeOf(folder, word);
      // A module of TypeScript names the file that it will become.
      const written = place.replace(/\.([mc]?)jsx?$/, '.$1ts');
      if (/\.[A-Za-z]{1,5}$/.test(place) && isFile(place)) return [place];
      return [...new Set([...ENDINGS.map((ending) => place + ending), written])].filter(isFile);
    },
    folder(folder, word) {
      if (!isUsable(word)) return undefined;
      const place = placeOf(folder, word);
      return isInside(place) && statOf(place)?.isDirectory() === true ? place : undefined;
    },
    entries: (folder) => ENTRIES.map((name) => path.join(folder, name)).filter(isFile),
  };
};
