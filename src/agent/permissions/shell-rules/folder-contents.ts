/** What lies in a folder now: the names that a glob stands for, and files with secrets below it. */
import { type Dirent, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { mayBeOdd } from '../../../core/byte-names.ts';
import { type NamePattern, parseNamePattern } from '../../../core/ignore-pattern.ts';
import { isSecretPath } from '../../../core/policy/sensitive-files.ts';
import { isTokenFile } from '../../../core/policy/token-files.ts';
import { tokenAt } from '../token-files.ts';

const NAMES_MAX = 5_000;
/** An ordinary project with its packages has fewer. */
const ENTRIES_MAX = 250_000;

const entriesOf = (folder: string): Dirent[] => {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
};

/** For what is looked at in one go: a folder is listed once. */
const rememberedEntries = (): typeof entriesOf => {
  const known = new Map<string, Dirent[]>();
  return (folder) => {
    const entries = known.get(folder) ?? entriesOf(folder);
    known.set(folder, entries);
    return entries;
  };
};
type Search = { root: string; list?: typeof entriesOf };

const isFolder = (file: string): boolean => {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false;
  }
};

/**
 * One part of a path as the shell reads it, in time that grows with the lengths and no faster: the names are whoever's. A name
 * with a dot needs a dot.
 */
const partPattern = (part: string): NamePattern | undefined => {
  // `[[=a=]]` and `[[.a.]]` are known to the shell's language alone.
  const pattern = /\[[=.]/.test(part.slice(1)) ? undefined : parseNamePattern(inUnits(part.replaceAll('\\', '\\\\')));
  const isHidden = part.startsWith('.');
  return pattern && { matches: (name) => name.startsWith('.') === isHidden && pattern.matches(inUnits(name)) };
};

/** One letter, one unit. Those that look the same then are a name too many, and never one too few. */
const inUnits = (text: string): string =>
  text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, (letter) =>
    String.fromCharCode(0xe000 + ((letter.codePointAt(0) ?? 0) % 0x1000)),
  );

/** Relative to `start`, as the shell would write them. Undefined for too many, or for a pattern that cannot be read. */
export const expandGlob = (start: string, glob: string): string[] | undefined => {
  const parts = glob.split('/').filter((part) => part !== '');
  let found = [glob.startsWith('/') ? '/' : ''];
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const next: string[] = [];
    const pattern = /[*?[]/.test(part) ? partPattern(part) : part;
    if (pattern === undefined) return undefined;
    for (const before of found) {
      const join = (name: string): string =>
        before === '' || before === '/' ? `${before}${name}` : `${before}/${name}`;
      if (typeof pattern === 'string') next.push(join(pattern));
      else {
        for (const { name } of entriesOf(path.resolve(start, before))) {
          // No path in text leads there, so nobody can look what it is.
          if (mayBeOdd(name)) return undefined;
          if (pattern.matches(name) && (isLast || isFolder(path.resolve(start, join(name))))) next.push(join(name));
        }
      }
      if (next.length > NAMES_MAX) return undefined;
    }
    found = next;
  }
  return found;
};

/** Files below a path that may hold secrets, in the order in which they are found. */
type SecretsBelow = {
  files: readonly { below: string; holds(): boolean }[];
  /** False where there is more than can be looked at. */
  isWhole: boolean;
};

/** Whether a file is one is asked of its path from `root` on, since some are known by the folder they lie in. */
const secretsBelow = (start: string, { root, list = entriesOf }: Search): SecretsBelow => {
  const files: SecretsBelow['files'][number][] = [];
  const open = [{ folder: start, before: '' }];
  let seen = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { folder, before } = at;
    const way = withSlash(folder === root ? '' : wayFrom(root, folder));
    const isRepository = folder.endsWith('.git');
    for (const entry of list(folder)) {
      const { name } = entry;
      seen += 1;
      if (seen > ENTRIES_MAX || (mayBeOdd(name) && !entry.isFile())) return { files, isWhole: false };
      const below = before + name;
      const file = withSlash(folder) + name;
      // Objects are packed: nothing in them can be read as it stands.
      if (entry.isDirectory() && !(isRepository && name === 'objects'))
        open.push({ folder: file, before: `${below}/` });
      else if (isSecretPath(way + name)) files.push({ below, holds: () => true });
      else if (isTokenFile(file)) files.push({ below, holds: () => holdsToken(file, name) });
    }
  }
  return { files, isWhole: true };
};
const withSlash = (folder: string): string => (folder === '' || folder.endsWith('/') ? folder : `${folder}/`);

/** The first of them that is `reached`, by its path from there; empty text for more than can be looked at. */
const firstReached = ({ files, isWhole }: SecretsBelow, reaches: (below: string) => boolean): string | undefined =>
  files.find(({ below, holds }) => reaches(below) && holds())?.below ?? (isWhole ? undefined : '');

const wayFrom = (root: string, file: string): string =>
  file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file;

/** Within a repository's folder only its settings are opened: it may hold a great many files. */
const holdsToken = (file: string, name: string): boolean =>
  (!/\.git\//.test(file) || SETTINGS_OF_GIT.test(name)) && tokenAt(file) !== undefined;
const SETTINGS_OF_GIT = /^config(?:\.worktree)?$/;

export type LinksBelow = {
  /** The first that leads out, by its path from the root on and by its whole one. */
  away?: { name: string; file: string };
  /** Where the others lead, from the root on. */
  places: readonly string[];
};

/** What the links below a path lead to, those behind links too; undefined for more than can be looked at. */
const linksBelow = (
  start: string,
  { root, list = entriesOf, leadsTo, isOutside, reaches = () => true }: LinkSearch,
): LinksBelow | undefined => {
  const open = [start];
  const seenFolders = new Set(open);
  const places = new Set<string>();
  let seen = 0;
  const enter = (folder: string): void => {
    if (seenFolders.has(folder)) return;
    seenFolders.add(folder);
    open.push(folder);
  };
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of list(folder)) {
      seen += 1;
      if (seen > ENTRIES_MAX) return undefined;
      if (entry.isFile()) continue;
      if (mayBeOdd(entry.name)) return undefined;
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) enter(file);
      if (!entry.isSymbolicLink()) continue;
      const place = leadsTo(file);
      if (place !== undefined) {
        places.add(place);
        if (isFolder(file)) enter(path.join(root, place));
      } else if (isOutside(file) && reaches(belowOf(start, file)))
        return { away: { name: wayFrom(root, file), file }, places: [...places] };
    }
  }
  return { places: [...places] };
};
/** A path is given only of what the start itself holds: behind a link within the folder the same file has other paths too. */
const belowOf = (start: string, file: string): string | undefined =>
  file.startsWith(`${start}/`) ? file.slice(start.length + 1) : undefined;
type LinkSearch = Search & {
  /** By its path from the start on; undefined where it has another one. */
  reaches?(below: string | undefined): boolean;
  /** From the root on; undefined where it leads out. */
  leadsTo(file: string): string | undefined;
  /** Whether something is there that is nothing of the system's. */
  isOutside(file: string): boolean;
};

/** Looks below folders of `root`. */
export const lookBelow = (root: string) => {
  let known: { list: typeof entriesOf; secrets: Map<string, SecretsBelow> } | undefined;
  return {
    /** What `work` looks at is looked at once, however often it asks. */
    atOnce<T>(work: () => T): T {
      if (known !== undefined) return work();
      known = { list: rememberedEntries(), secrets: new Map() };
      try {
        return work();
      } finally {
        known = undefined;
      }
    },
    secretBelow(start: string, reaches: (below: string) => boolean): string | undefined {
      const found = known?.secrets.get(start) ?? secretsBelow(start, { root, list: known?.list });
      known?.secrets.set(start, found);
      return firstReached(found, reaches);
    },
    linksBelow: (start: string, search: Omit<LinkSearch, 'root' | 'list'>): LinksBelow | undefined =>
      linksBelow(start, { root, list: known?.list, ...search }),
  };
};
