import fs from 'node:fs';
import ignore, { type Ignore } from 'ignore';
import { LIMITS } from '../../core/limits.ts';

/** The ignore files of one folder, on top of those of the folders above it. */
export type IgnoreRules = {
  /** Length of the folder's path with its closing slash: what is cut off before matching. */
  prefixLength: number;
  matcher: Ignore;
  above?: IgnoreRules;
};

/** Read in this order, so that a line of the second wins over one of the first. */
export const IGNORE_FILES = ['.gitignore', '.halterignore'] as const;

/**
 * A matcher built of regular expressions takes time exponential in the number of wildcards, and the files come from
 * whoever wrote the project; a line with more of them than people write is left out.
 */
const isHarmless = (line: string): boolean => {
  const wildcards = (text: string): number => text.match(/\*+/g)?.length ?? 0;
  return (
    line.length <= LIMITS.pathCharacters &&
    wildcards(line) <= LIMITS.ignoreLineWildcards &&
    line.split('/').every((segment) => wildcards(segment) <= LIMITS.ignoreSegmentWildcards)
  );
};

export const addIgnoreText = (above: IgnoreRules | undefined, prefixLength: number, text: string): IgnoreRules => {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const matcher = ignore({ ignorecase: false }).add(lines.filter(isHarmless));
  return above === undefined ? { prefixLength, matcher } : { prefixLength, matcher, above };
};

/** Asks the nearest folder first; a line there, also one that takes back (`!`), decides. A folder's path ends in `/`. */
export const isIgnored = (rules: IgnoreRules | undefined, path: string): boolean => {
  for (let level = rules; level !== undefined; level = level.above) {
    const result = level.matcher.test(path.slice(level.prefixLength));
    if (result.ignored) return true;
    if (result.unignored) return false;
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
    if (!stat.isFile() || stat.size > LIMITS.ignoreFileBytes) return undefined;
    const buffer = Buffer.alloc(stat.size);
    return buffer.toString('utf8', 0, fs.readSync(descriptor, buffer));
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
};
