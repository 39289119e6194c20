/**
 * One line of an ignore file, matched as git does it, in time that grows with the product of the lengths and no faster:
 * the lines come from whoever wrote the project, and a regular expression made of them can take minutes.
 */
import { matchesRun, type RunRules } from './policy/glob.ts';

export type IgnorePattern = {
  /** `!`: takes back what an earlier line left out. */
  negated: boolean;
  directoriesOnly: boolean;
  /** Whole path (the line has a slash) or last name only. */
  anchored: boolean;
  segments: readonly Segment[];
};

/** Most lines of an ignore file are plain names or endings (`*.log`): these are compared as they are, which is quicker. */
type Segment =
  | { kind: 'name'; name: string }
  | { kind: 'tokens'; tokens: readonly Token[]; ending: string }
  | { kind: 'any_folders' };

type Token =
  | { kind: 'star' }
  | { kind: 'any' }
  | { kind: 'text'; text: string }
  | { kind: 'class'; matches: (character: string) => boolean };

const NAMED: Record<string, RegExp> = {
  alpha: /[a-zA-Z]/,
  digit: /[0-9]/,
  alnum: /[a-zA-Z0-9]/,
  upper: /[A-Z]/,
  lower: /[a-z]/,
  space: /\s/,
  blank: /[ \t]/,
  punct: /[!-/:-@[-`{-~]/,
  xdigit: /[0-9a-fA-F]/,
};

/** Reads `[a-z]`, `[!a]`, `[[:digit:]]` at `start` (behind the bracket). Undefined where it is never closed. */
const readClass = (text: string, start: number): { token: Token; end: number } | undefined => {
  let at = start;
  const inverted = text[at] === '!' || text[at] === '^';
  if (inverted) at += 1;
  const tests: ((character: string) => boolean)[] = [];
  for (let first = true; text[at] !== ']' || first; first = false) {
    const named = /^\[:([a-z]+):\]/.exec(text.slice(at, at + 12));
    if (named !== null) {
      const expression = NAMED[named[1] as string];
      if (expression === undefined) return undefined;
      tests.push((character) => expression.test(character));
      at += named[0].length;
      continue;
    }
    if (text[at] === '\\') at += 1;
    const low = text[at];
    if (low === undefined) return undefined;
    at += 1;
    if (text[at] !== '-' || text[at + 1] === ']' || text[at + 1] === undefined) {
      tests.push((character) => character === low);
      continue;
    }
    at += text[at + 1] === '\\' ? 2 : 1;
    const high = text[at];
    if (high === undefined) return undefined;
    at += 1;
    tests.push((character) => character >= low && character <= high);
  }
  return {
    token: { kind: 'class', matches: (character) => tests.some((test) => test(character)) !== inverted },
    end: at + 1,
  };
};

const readSegment = (text: string): Token[] | undefined => {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if (character === '*') {
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' });
    } else if (character === '?') tokens.push({ kind: 'any' });
    else if (character === '[') {
      const read = readClass(text, at + 1);
      if (read === undefined) return undefined;
      tokens.push(read.token);
      at = read.end - 1;
    } else if (character === '\\') {
      at += 1;
      if (at >= text.length) return undefined;
      tokens.push({ kind: 'text', text: text[at] as string });
    } else tokens.push({ kind: 'text', text: character });
  }
  return tokens;
};

const segmentOf = (tokens: readonly Token[]): Segment => {
  const last = tokens.findLastIndex(({ kind }) => kind !== 'text');
  const ending = tokens.slice(last + 1).flatMap((token) => (token.kind === 'text' ? [token.text] : []));
  return last === -1 ? { kind: 'name', name: ending.join('') } : { kind: 'tokens', tokens, ending: ending.join('') };
};

/** One name as it is written for the shell: `*`, `?`, `[a-z]`, `[!a]`, a letter behind `\\`. Undefined where it can match nothing. */
export type NamePattern = { matches(name: string): boolean };
export const parseNamePattern = (text: string): NamePattern | undefined => {
  const tokens = readSegment(text);
  if (tokens === undefined) return undefined;
  const segment = segmentOf(tokens);
  return { matches: (name) => matchesName(segment, name) };
};

/** Cut off trailing blanks, unless a backslash keeps them. */
const trimmed = (line: string): string => {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ') {
    let backslashes = 0;
    while (line[end - 2 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 1) break;
    end -= 1;
  }
  return line.slice(0, end);
};

/** Undefined for a comment, an empty line, and what can never match. */
export const parseIgnoreLine = (line: string): IgnorePattern | undefined => {
  let text = trimmed(line);
  if (text === '' || text.startsWith('#')) return undefined;
  const negated = text.startsWith('!');
  if (negated) text = text.slice(1);
  const directoriesOnly = text.endsWith('/');
  if (directoriesOnly) text = text.slice(0, -1);
  const anchored = text.includes('/');
  if (text.startsWith('/')) text = text.slice(1);
  if (text === '') return undefined;
  // An escaped slash is a slash.
  const whole = text.replace(/\\([\s\S])/g, (escaped, character) => (character === '/' ? '/' : escaped));
  const segments: Segment[] = [];
  for (const part of whole.split('/')) {
    const tokens = readSegment(part);
    if (tokens === undefined) return undefined;
    // `**` stands for any number of folders where a slash makes it one.
    segments.push(anchored && /^\*{2,}$/.test(part) ? { kind: 'any_folders' } : segmentOf(tokens));
    if (part === '') return undefined;
  }
  return { negated, directoriesOnly, anchored, segments };
};

const TOKENS: RunRules<Token, string> = {
  isStar: ({ kind }) => kind === 'star',
  matches: (token, character) =>
    token.kind === 'any' ||
    (token.kind === 'text' ? token.text === character : token.kind === 'class' && token.matches(character)),
};

const matchesName = (segment: Segment | undefined, name: string): boolean => {
  if (segment?.kind === 'name') return segment.name === name;
  return segment?.kind === 'tokens' && name.endsWith(segment.ending) && matchesRun(segment.tokens, name, TOKENS);
};

const SEGMENTS: RunRules<Segment, string> = {
  isStar: ({ kind }) => kind === 'any_folders',
  matches: matchesName,
  // At the end it stands for everything inside, but not for the folder itself.
  lastStarNeedsOne: true,
};

/** `names` is the path from the folder of the ignore file on, by its parts. Looks at this path alone. */
export const matchesIgnorePattern = (
  pattern: IgnorePattern,
  names: readonly string[],
  isDirectory: boolean,
): boolean => {
  if (pattern.directoriesOnly && !isDirectory) return false;
  return pattern.anchored
    ? matchesRun(pattern.segments, names, SEGMENTS)
    : matchesName(pattern.segments[0], names.at(-1) ?? '');
};
