/** What a program that packs a folder leaves out: by a file of patterns beside it, or by the list in `package.json`. */
import path from 'node:path';
import { type IgnorePattern, matchesIgnorePattern, parseIgnoreLine } from '../../../core/ignore-pattern.ts';
import { isObject } from '../../../core/json.ts';
import { copiedInto, isImageFile } from './packers/image-files.ts';
import { readSmall } from './repositories.ts';

/** `names`: of files with patterns, of which the first that is there counts; `package.json` counts by its list of files. */
export const leftOutOf = (folder: string, told: readonly string[]): ((below: string) => boolean) => {
  const isIgnored = ignoredIn(
    folder,
    told.filter((name) => !isImageFile(name)),
  );
  const copied = copiedInto(folder, told.filter(isImageFile));
  if (copied === undefined) return isIgnored;
  // What is copied by a wildcard, or lies in a folder that is copied.
  const isCopied = matching(patternsIn(copied));
  return (below) => isIgnored(below) || !isCopied(below);
};

const ignoredIn = (folder: string, names: readonly string[]): ((below: string) => boolean) => {
  for (const name of names) {
    const text = readSmall(path.join(folder, name));
    if (text === undefined) continue;
    if (text === false) return () => false;
    const files = name === 'package.json' ? listedFiles(text) : [];
    if (files === undefined) continue;
    const isMatched = matching(patternsIn(name === 'package.json' ? files : linesOf(name, text)));
    const isLeftOut = name === 'package.json' ? (below: string) => !isMatched(below) : isMatched;
    const isTakenBack = takenBack(folder, names);
    return (below) => isLeftOut(below) && !isTakenBack(below);
  }
  return () => false;
};

/** Their patterns start at the folder itself, or what one takes back counts wherever it stands. */
const OF_ITS_OWN = /(?:^|e)\.(?:docker|container|vscode|helm)ignore$/;
const FROM_THE_FOLDER = /(?:^|e)\.(?:docker|container|vscode)ignore$/;
const linesOf = (name: string, text: string): string[] => {
  const lines = text.split(/\r?\n/);
  if (!OF_ITS_OWN.test(name)) return lines;
  const told = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  if (told.some((line) => line.startsWith('!'))) return [];
  return FROM_THE_FOLDER.test(name) ? told.map((line) => `/${line.replace(/^\/+/, '')}`) : told;
};

/** A file of patterns in a folder between takes something back, whatever it is. */
const takenBack = (root: string, names: readonly string[]): ((below: string) => boolean) => {
  const known = new Map<string, boolean>();
  const isOf = (folder: string): boolean => {
    if (folder === '.') return false;
    const found = known.get(folder) ?? (isOf(path.posix.dirname(folder)) || negates(path.join(root, folder), names));
    known.set(folder, found);
    return found;
  };
  return (below) => isOf(path.posix.dirname(below));
};

const negates = (folder: string, names: readonly string[]): boolean =>
  names.some((name) => {
    const text = name === 'package.json' ? undefined : readSmall(path.join(folder, name));
    return text === false || (text !== undefined && /^\s*!/m.test(text));
  });

const patternsIn = (lines: readonly string[]): IgnorePattern[] =>
  lines.flatMap((line) => {
    const pattern = parseIgnoreLine(line);
    return pattern === undefined ? [] : [pattern];
  });

/** The last line that speaks of a path counts, and what is said of a folder counts for all in it. */
const matching =
  (patterns: readonly IgnorePattern[]) =>
  (below: string): boolean => {
    const parts = below.split('/');
    return parts.some((_, index) => {
      const names = parts.slice(0, index + 1);
      const last = patterns.findLast((pattern) => matchesIgnorePattern(pattern, names, index < parts.length - 1));
      return last !== undefined && !last.negated;
    });
  };

/** `"."` and `"*"` are all that is there. */
const listedFiles = (text: string): string[] | undefined => {
  try {
    const given: unknown = JSON.parse(text);
    const files = isObject(given) ? given['files'] : undefined;
    if (!Array.isArray(files) || files.length === 0) return undefined;
    const listed = files.filter((each) => typeof each === 'string').map((each) => each.replace(/^\.?\/+|\/+$/g, ''));
    return listed.some((each) => /^\.?$/.test(each)) ? undefined : listed;
  } catch {
    return undefined;
  }
};
