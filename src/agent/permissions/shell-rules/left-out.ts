/** What a program that packs a folder leaves out: by a file of patterns beside it, or by the list in `package.json`. */
import path from 'node:path';
import { type IgnorePattern, matchesIgnorePattern, parseIgnoreLine } from '../../../core/ignore-pattern.ts';
import { isObject } from '../../../core/json.ts';
import { readSmall } from './repositories.ts';

/** `names`: of files with patterns, of which the first that is there counts; `package.json` counts by its list of files. */
export const leftOutOf = (folder: string, names: readonly string[]): ((below: string) => boolean) => {
  for (const name of names) {
    const text = readSmall(path.join(folder, name));
    if (typeof text !== 'string') continue;
    if (name !== 'package.json') return matching(patternsIn(text.split(/\r?\n/)));
    const files = listedFiles(text);
    if (files === undefined) continue;
    const isListed = matching(patternsIn(files));
    return (below) => !isListed(below);
  }
  return () => false;
};

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
