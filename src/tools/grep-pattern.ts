/** What a model asks to search for, in ripgrep's words: a wildcard pattern and a glob of files. */

import { type IgnorePattern, matchesIgnorePattern, parseIgnoreLine } from '../core/ignore-pattern.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { withoutEnd } from '../core/without-end.ts';
import { TOOL_LIMITS } from './limits.ts';

/**
 * `*` stands for any characters of one line, everything else for itself. Bytes rather than characters, so that a line
 * that is not UTF-8 does not end the match. Stars at the ends change nothing in a search for a part of a line.
 */
export const patternToRegex = (pattern: string): string =>
  withoutEnd(pattern.replace(/^\*+/, ''), /\*/)
    .split(/\*+/)
    .map((part) => part.replace(/[\\.+*?()|[\]{}^$#&~/-]/g, '\\$&'))
    .join('(?-u:[^\\n])*?');

/**
 * Put after a pattern, so that a line has one match and no more: ripgrep lists every one, and a line of 64 MB may have
 * as many million.
 */
export const REST_OF_LINE = '(?-u:[^\\n])*';

export type FileFilter = {
  arguments: string[];
  /** What ripgrep cannot be told without its ignore rules being switched off for the files that match. */
  accepts(path: string): boolean;
};

export const EVERY_FILE: FileFilter = { arguments: [], accepts: () => true };

/**
 * ripgrep's own `--glob` would show hidden and ignored files as soon as they match, so the last part of the filter becomes
 * a file type (types come after the ignore rules) and a filter with folders is applied to the paths that are found.
 */
export const parseFileFilter = (filter: string, isFolder: boolean): Outcome<FileFilter> => {
  const glob = withoutEnd(filter.replace(/^(?:\.\/+)+/, ''), /\//);
  if (glob.includes('\n') || glob.includes('\0')) {
    return failure('parse_error', 'file_filter holds a newline or a NUL character');
  }
  if (glob === '' || glob === '.') return succeed(EVERY_FILE);
  if (isFolder) return succeed({ arguments: [], accepts: (path) => path.startsWith(`${glob}/`) });
  if (glob.startsWith('/') || /^[A-Za-z]:/.test(glob) || glob.split(/[/\\]/).includes('..')) {
    return failure(
      'validation_failed',
      `file_filter is relative to the workspace and stays inside, such as *.ts or src/**/*.ts, not ${filter}`,
      'outside_workspace',
    );
  }
  if (glob.startsWith('!')) return succeed({ arguments: [`--glob=${glob}`], accepts: () => true });
  const base = glob.slice(splitAtLastSlash(glob) + 1);
  const arguments_ = base === '**' || base === '*' || base === '' ? [] : [`--type-add=halter:${base}`, '--type=halter'];
  if (!glob.includes('/')) return succeed({ arguments: arguments_, accepts: () => true });
  const patterns = expandBraces(glob);
  if (patterns === undefined)
    return failure('parse_error', `file_filter does not parse: ${filter}: unbalanced braces, or too many of them`);
  const lines = patterns.flatMap((pattern) => parseIgnoreLine(anchor(pattern)) ?? []);
  return succeed({ arguments: arguments_, accepts: (path) => lines.some((line) => isWithin(line, path.split('/'))) });
};

/** It matches the file, or a folder that it lies in. */
const isWithin = (line: IgnorePattern, names: readonly string[]): boolean =>
  names.some((_, index) => matchesIgnorePattern(line, names.slice(0, index + 1), index < names.length - 1));

/** A slash inside of braces belongs to the alternatives: `{src,lib/x}` has no last part of its own. */
const splitAtLastSlash = (glob: string): number => {
  const open = glob.indexOf('{');
  const slash = glob.lastIndexOf('/');
  const insideBraces = open !== -1 && slash > open && glob.indexOf('}', slash) !== -1;
  return insideBraces ? glob.length : slash;
};
const anchor = (pattern: string): string =>
  pattern.startsWith('#') || pattern.startsWith('!') ? `\\${pattern}` : pattern;

/** `a/{b,c}` → `a/b`, `a/c`; undefined where the braces do not match or there are too many. */
export const expandBraces = (glob: string): string[] | undefined => {
  let alternatives = [''];
  for (let position = 0; position < glob.length; ) {
    const character = glob[position] as string;
    if (character === '}') return undefined;
    if (character !== '{') {
      alternatives = alternatives.map((start) => start + character);
      position += 1;
      continue;
    }
    const end = closingBrace(glob, position);
    if (end === undefined) return undefined;
    const choices = splitChoices(glob.slice(position + 1, end)).map(expandBraces);
    if (choices.includes(undefined)) return undefined;
    alternatives = alternatives.flatMap((start) => choices.flat().map((choice) => start + choice));
    if (alternatives.length > TOOL_LIMITS.grepFilterAlternatives) return undefined;
    position = end + 1;
  }
  return alternatives;
};
const closingBrace = (glob: string, open: number): number | undefined => {
  let depth = 0;
  for (let position = open; position < glob.length; position += 1) {
    if (glob[position] === '{') depth += 1;
    if (glob[position] === '}') depth -= 1;
    if (depth === 0) return position;
    if (depth > TOOL_LIMITS.grepFilterDepth) return undefined;
  }
  return undefined;
};
const splitChoices = (text: string): string[] => {
  const choices = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '{') depth += 1;
    if (character === '}') depth -= 1;
    if (character === ',' && depth === 0) choices.push('');
    else choices[choices.length - 1] += character;
  }
  return choices;
};
