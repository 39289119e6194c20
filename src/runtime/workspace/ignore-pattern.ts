/**
 * One line of an ignore file, matched as git does it, in time that grows with the product of the lengths and no faster:
 * the lines come from whoever wrote the project, and a regular expression made of them can take minutes.
 */
export type IgnorePattern = {
  /** `!`: takes back what an earlier line left out. */
  negated: boolean;
  directoriesOnly: boolean;
  /** Whole path (the line has a slash) or last name only. */
  anchored: boolean;
  segments: readonly Token[][];
};

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
  const segments: Token[][] = [];
  for (const part of whole.split('/')) {
    const tokens = readSegment(part);
    if (tokens === undefined) return undefined;
    // An empty list stands for `**`, any number of folders, where a slash makes it one.
    segments.push(anchored && /^\*{2,}$/.test(part) ? [] : tokens);
    if (part === '') return undefined;
  }
  return { negated, directoriesOnly, anchored, segments };
};

const matchesToken = (token: Token, character: string): boolean =>
  token.kind === 'any' ||
  (token.kind === 'text' ? token.text === character : token.kind === 'class' && token.matches(character));

/** Goes back to the last star only, which is enough: an earlier one could not find more. */
const matchesName = (tokens: readonly Token[], name: string): boolean => {
  let [at, next, star, resume] = [0, 0, -1, 0];
  while (at < name.length) {
    const token = tokens[next];
    if (token?.kind === 'star') {
      star = next;
      next += 1;
      resume = at;
    } else if (token !== undefined && matchesToken(token, name[at] as string)) {
      at += 1;
      next += 1;
    } else if (star !== -1) {
      resume += 1;
      at = resume;
      next = star + 1;
    } else return false;
  }
  while (tokens[next]?.kind === 'star') next += 1;
  return next === tokens.length;
};

const isAnyFolders = (segment: readonly Token[] | undefined): boolean => segment?.length === 0;

const matchesPath = (segments: readonly Token[][], names: readonly string[]): boolean => {
  let [at, next, star, resume] = [0, 0, -1, 0];
  while (at < names.length) {
    const segment = segments[next];
    if (isAnyFolders(segment)) {
      // At the end it stands for everything inside, but not for the folder itself.
      if (next === segments.length - 1) return true;
      star = next;
      next += 1;
      resume = at;
    } else if (segment !== undefined && matchesName(segment, names[at] as string)) {
      at += 1;
      next += 1;
    } else if (star !== -1) {
      resume += 1;
      at = resume;
      next = star + 1;
    } else return false;
  }
  return next === segments.length;
};

/** `names` is the path from the folder of the ignore file on, by its parts. Looks at this path alone. */
export const matchesIgnorePattern = (
  pattern: IgnorePattern,
  names: readonly string[],
  isDirectory: boolean,
): boolean => {
  if (pattern.directoriesOnly && !isDirectory) return false;
  return pattern.anchored
    ? matchesPath(pattern.segments, names)
    : matchesName(pattern.segments[0] ?? [], names.at(-1) ?? '');
};
