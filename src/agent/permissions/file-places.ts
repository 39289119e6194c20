/** Every name of the file that a text means, as the links of the disk are now. */
import { lstatSync, opendirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { LIMITS } from '../../core/limits.ts';
import type { FilePlace, FilePlaces } from '../../core/policy/denied-files.ts';
import { followLinks, readLink } from '../../sandbox/follow-links.ts';

/** For one decision: each link is read once. Nothing is read before a rule asks. */
export const filePlaces = (root: string): FilePlaces => {
  const links = new Map<string, string | undefined>();
  const linkAt = (file: string): string | undefined => {
    if (!links.has(file)) links.set(file, isLink(file) ? readLink(file) : undefined);
    return links.get(file);
  };
  const known = new Map<string, readonly FilePlace[]>();
  let folds: boolean | undefined;
  return {
    of(text) {
      const found = known.get(text) ?? placesIn(root, text, linkAt);
      known.set(text, found);
      return found;
    },
    get foldsCase() {
      folds ??= foldsCaseIn(root);
      return folds;
    },
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

const firstNameIn = (root: string): string => {
  const folder = opendirSync(root);
  try {
    return folder.readSync()?.name ?? '';
  } finally {
    folder.closeSync();
  }
};

/** Whether a name of the folder in the other case is the same file. */
const foldsCaseIn = (root: string): boolean => {
  try {
    const place = path.join(root, firstNameIn(root));
    const other = place === place.toUpperCase() ? place.toLowerCase() : place.toUpperCase();
    const [given, folded] = [place, other].map((each) => statSync(each, { throwIfNoEntry: false }));
    // Nobody knows of a place without letters: folding denies more, never less.
    return other === place || given === undefined || (given.ino === folded?.ino && given.dev === folded.dev);
  } catch {
    return true;
  }
};
