import fs from 'node:fs';
import { type IgnorePattern, matchesIgnorePattern, parseIgnoreLine } from '../../core/ignore-pattern.ts';
import { IO_LIMITS } from '../limits.ts';

/** The ignore files of one folder, on top of those of the folders above it. */
export type IgnoreRules = {
  /** Length of the folder's path with its closing slash: what is cut off before matching. */
  prefixLength: number;
  /** The last line first: it wins. */
  patterns: readonly IgnorePattern[];
  above?: IgnoreRules;
};

/** Read in this order, so that a line of the second wins over one of the first. */
export const IGNORE_FILES: readonly string[] = ['.gitignore', '.halterignore'];

export const addIgnoreText = (above: IgnoreRules | undefined, prefixLength: number, text: string): IgnoreRules => {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const patterns = lines.slice(0, IO_LIMITS.ignoreLines).flatMap((line) => parseIgnoreLine(line) ?? []);
  return above === undefined
    ? { prefixLength, patterns: patterns.reverse() }
    : { prefixLength, patterns: patterns.reverse(), above };
};

/**
 * Asks the nearest folder first; the line there that comes last, also one that takes back (`!`), decides. The walk does
 * not enter a folder that is ignored, so only this path has to be looked at. A folder's path ends in `/`.
 */
export const isIgnored = (rules: IgnoreRules | undefined, path: string): boolean => {
  const isDirectory = path.endsWith('/');
  const plain = isDirectory ? path.slice(0, -1) : path;
  for (let level = rules; level !== undefined; level = level.above) {
    const names = plain.slice(level.prefixLength).split('/');
    const pattern = level.patterns.find((candidate) => matchesIgnorePattern(candidate, names, isDirectory));
    if (pattern !== undefined) return !pattern.negated;
  }
  return false;
};

const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = fs.constants;

/** Text of an ignore file; none where it is missing, a link (as git sees it), no regular file, or too big. */
export const readIgnoreFile = (path: string): string | undefined => {
  let descriptor: number | undefined;
  try {
    descriptor = fs.openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    const stat = fs.fstatSync(descriptor);
    if (!stat.isFile() || stat.size > IO_LIMITS.ignoreFileBytes) return undefined;
    const buffer = Buffer.alloc(stat.size);
    return buffer.toString('utf8', 0, fs.readSync(descriptor, buffer));
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
};
