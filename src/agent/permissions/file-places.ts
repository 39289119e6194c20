/** Every name of the file that a text means, as the links of the disk are now. */
import { lstatSync, opendirSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { LIMITS } from '../../core/limits.ts';
import type { FilePlace, FilePlaces } from '../../core/policy/denied-files.ts';
import { followLinks, readLink } from '../../sandbox/follow-links.ts';
import { AGENT_LIMITS } from '../limits.ts';

/** For one decision: each link is read once. Nothing is read before a rule asks. */
export const filePlaces = (root: string): FilePlaces => {
  const links = new Map<string, string | undefined>();
  const linkAt = (file: string): string | undefined => {
    if (!links.has(file)) links.set(file, isLink(file) ? readLink(file) : undefined);
    return links.get(file);
  };
  const known = new Map<string, readonly FilePlace[]>();
  return {
    of(text) {
      const found = known.get(text) ?? placesIn(root, text, linkAt);
      known.set(text, found);
      return found;
    },
    foldsCase,
  };
};

/** Reading what is no link as one throws, which is slow. */
const isLink = (file: string): boolean => {
  try {
    return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    return false;
  }
};

const placesIn = (root: string, text: string, linkAt: typeof readLink): FilePlace[] => {
  const files = pathsMeant(text)
    // A program takes `..` off the text, or goes back from where a link leads, as the system does.
    .flatMap((each) => [path.resolve(root, each), path.isAbsolute(each) ? each : `${root}${path.sep}${each}`])
    .filter((file) => file.length <= LIMITS.pathCharacters);
  const names = [...new Set(files)].flatMap((file) => [
    path.normalize(file),
    ...(followLinks(file, linkAt)?.names ?? []),
  ]);
  return [...new Set(names)].map((file) => ({ name: nameIn(root, file), absolute: withSlashes(file) }));
};

/** A program may read `file://` and `~` as such, or take them for plain names. */
const pathsMeant = (text: string): string[] => {
  if (text === '' || text.includes('\0')) return [];
  if (/^file:/i.test(text)) return [text, text.replace(/^file:\/\//i, ''), ...ofAddress(text)];
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return [];
  return /^~(?:[\\/]|$)/.test(text) ? [text, `${homedir()}${text.slice(1)}`] : [text];
};

const ofAddress = (text: string): string[] => {
  try {
    return [fileURLToPath(text)];
  } catch {
    return [];
  }
};

const nameIn = (root: string, file: string): string => {
  const relative = path.relative(root, file);
  const isOutside = relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
  return withSlashes(isOutside ? file : relative || '.');
};

const withSlashes = (file: string): string => (path.sep === '/' ? file : file.replaceAll(path.sep, '/'));

/** Whether the disk takes capitals for small letters somewhere on the way: a folder may differ from the one it lies in. */
const foldsCase = (absolute: string): boolean => {
  for (let file = absolute; ; file = path.dirname(file)) {
    const folder = path.dirname(file);
    if (folder === file) return false;
    if (foldsCaseOf(folder, path.basename(file)) === true) return true;
  }
};

/** By the name itself where it is there, else by another one of the folder; undefined where there is no such folder. */
const foldsCaseOf = (folder: string, name: string): boolean | undefined => {
  try {
    if (lstatSync(path.join(folder, name), { throwIfNoEntry: false }) !== undefined)
      return isSameInOtherCase(folder, name);
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return undefined;
    const other = nameWithLetters(folder);
    // Nobody knows of a folder without one: folding denies more, never less.
    return other === undefined || isSameInOtherCase(folder, other);
  } catch {
    return true;
  }
};

const otherCase = (name: string): string => (name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase());

const isSameInOtherCase = (folder: string, name: string): boolean => {
  if (otherCase(name) === name) return false;
  const [given, other] = [name, otherCase(name)].map((each) =>
    lstatSync(path.join(folder, each), { throwIfNoEntry: false }),
  );
  return given !== undefined && given.ino === other?.ino && given.dev === other.dev;
};

/** One whose other case is another name. */
const nameWithLetters = (folder: string): string | undefined => {
  const entries = opendirSync(folder);
  try {
    for (let seen = 0; seen < AGENT_LIMITS.namesForCase; seen += 1) {
      const entry = entries.readSync();
      if (entry === null || otherCase(entry.name) !== entry.name) return entry?.name;
    }
    return undefined;
  } finally {
    entries.closeSync();
  }
};
