import fs from 'node:fs';
import { mayBeOdd } from '../../core/byte-names.ts';
import { type Outcome, succeed } from '../../core/outcome.ts';
import type { FileStat } from '../../core/ports.ts';
import { IO_LIMITS } from '../limits.ts';
import { systemCode, systemFailure } from './faults.ts';
import { addIgnoreText, IGNORE_FILES, type IgnoreRules, isIgnored, readIgnoreFile } from './ignore-rules.ts';
import { fileStat } from './kinds.ts';
import { breather, namesIn } from './list.ts';
import type { Folder, OpenChild, Opener } from './opener.ts';
import type { ResolvedPath, Roots } from './paths.ts';
import { CANCELLED, readRegularFile } from './read.ts';
import { isTemporaryName } from './temporary.ts';

export type WalkOptions = {
  includeHidden?: boolean;
  ignoreGitignore?: boolean;
  maxPaths: number;
  stats?: boolean;
  signal?: AbortSignal;
};

/** `unnamed`: entries whose names are not UTF-8, with `\xNN` for such bytes; no path in text leads to them. */
export type Walked = {
  paths: string[];
  truncated: boolean;
  unreadable?: number;
  unnamed?: string[];
  stats?: FileStat[];
};

export const VERSION_CONTROL_FOLDERS: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', '.bzr']);

type Level = {
  child: OpenChild;
  /** Of the paths below, with a closing slash; empty for the workspace itself. */
  prefix: string;
  entries: { name: string; isDirectory: boolean }[];
  next: number;
  rules: IgnoreRules | undefined;
};

/** What a walk goes past. */
type Skipped = { unreadable: number; unnamed: string[] };
type Contents = { entries: Level['entries']; ignoreFiles: string[]; unnamed: string[] };

/** The first entry of this name and kind that is there by it. */
const isOf = (self: string, entry: fs.Dirent, taken: Level['entries']): boolean => {
  const stat = fs.lstatSync(`${self}/${entry.name}`, { throwIfNoEntry: false });
  const isKind = stat?.isDirectory() === entry.isDirectory() && stat.isFile() === entry.isFile();
  return isKind && !taken.some(({ name }) => name === entry.name || name === `${entry.name}/`);
};

/** Sorted so that walking in this order gives the paths in the order of their characters. */
const readContents = (self: string, includeHidden: boolean): Contents => {
  const contents: Contents = { entries: [], ignoreFiles: [], unnamed: [] };
  const all = fs.readdirSync(self, { withFileTypes: true });
  const isDoubtful = all.some(({ name }) => mayBeOdd(name));
  if (isDoubtful) contents.unnamed = namesIn(self).odd.map(({ shown }) => shown);
  for (const entry of all) {
    const { name } = entry;
    // A name that is in order may be read like one that is not.
    if (isDoubtful && mayBeOdd(name) && !isOf(self, entry, contents.entries)) continue;
    const isDirectory = entry.isDirectory();
    if (!isDirectory && !entry.isFile()) continue;
    if (isDirectory && VERSION_CONTROL_FOLDERS.has(name)) continue;
    const isHidden = name.startsWith('.');
    if (isHidden && IGNORE_FILES.includes(name)) contents.ignoreFiles.push(name);
    if (isHidden && (!includeHidden || isTemporaryName(name))) continue;
    contents.entries.push({ name: isDirectory ? `${name}/` : name, isDirectory });
  }
  contents.entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return contents;
};

/** The rules of a folder on top of those above it; the order of the file names decides which line wins. */
const rulesWithin = (
  self: string,
  contents: Contents,
  prefix: string,
  above: IgnoreRules | undefined,
): IgnoreRules | undefined => {
  let rules = above;
  for (const name of IGNORE_FILES) {
    const text = contents.ignoreFiles.includes(name) ? readIgnoreFile(`${self}/${name}`) : undefined;
    if (text !== undefined) rules = addIgnoreText(rules, prefix.length, text);
  }
  return rules;
};

/** The rules that hold where the walk starts: those of the workspace and of every folder down to the start. */
const rulesAbove = async (opener: Opener, roots: Roots, start: ResolvedPath): Promise<IgnoreRules | undefined> => {
  if (start.relative === '.' || start.relative === start.absolute) {
    const exclude = await readRegularFile(opener, `${start.absolute}/.git/info/exclude`, '.git/info/exclude', {
      maxBytes: IO_LIMITS.ignoreFileBytes,
    });
    const prefix = start.relative === '.' ? 0 : start.relative.length + 1;
    return exclude.ok ? addIgnoreText(undefined, prefix, Buffer.from(exclude.value.file.bytes).toString()) : undefined;
  }
  let rules = await rulesAbove(opener, roots, { relative: '.', absolute: roots.main });
  let prefix = '';
  for (const segment of start.relative.split('/')) {
    for (const name of IGNORE_FILES) {
      const found = await readRegularFile(opener, `${roots.main}/${prefix}${name}`, name, {
        maxBytes: IO_LIMITS.ignoreFileBytes,
      });
      if (found.ok) rules = addIgnoreText(rules, prefix.length, Buffer.from(found.value.file.bytes).toString());
    }
    prefix += `${segment}/`;
  }
  return rules;
};

/** Undefined where the folder went away, was swapped for a link, or may not be read: the walk goes on without it. */
const descend = (
  opener: Opener,
  parent: Level,
  name: string,
  options: WalkOptions,
  skipped: Skipped,
): Level | undefined => {
  let child: OpenChild | undefined;
  try {
    child = opener.child(parent.child.self, name.slice(0, -1));
    const prefix = parent.prefix + name;
    const contents = readContents(child.self, options.includeHidden ?? false);
    const rules = options.ignoreGitignore ? undefined : rulesWithin(child.self, contents, prefix, parent.rules);
    skipped.unnamed.push(...contents.unnamed.map((each) => prefix + each));
    if (child.isUnmoved()) return { child, prefix, entries: contents.entries, next: 0, rules };
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined || code === 'EMFILE' || code === 'ENFILE') {
      child?.close();
      throw error;
    }
    if (code === 'EACCES' || code === 'EPERM') skipped.unreadable += 1;
  }
  child?.close();
  return undefined;
};

/** Of the name itself: a link that took a file's place is no file. */
const statOf = (path: string): FileStat => {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  return stat === undefined ? { kind: 'other', size: 0, modified_ms: 0 } : fileStat(stat);
};

type Start = { folder: Folder; start: ResolvedPath; rules: IgnoreRules | undefined };

const startLevel = ({ folder, start, rules }: Start, options: WalkOptions, skipped: Skipped): Level => {
  const prefix = start.relative === '.' ? '' : `${start.relative}/`;
  const child: OpenChild = { self: folder.self, isUnmoved: () => true, close: () => {} };
  const contents = readContents(folder.self, options.includeHidden ?? false);
  skipped.unnamed.push(...contents.unnamed.map((each) => prefix + each));
  return {
    child,
    prefix,
    entries: contents.entries,
    next: 0,
    rules: options.ignoreGitignore ? undefined : rulesWithin(folder.self, contents, prefix, rules),
  };
};

/**
 * Every folder is opened by its name in the folder that is already open, never by a path and never through a link, so
 * nobody can lead the walk elsewhere and no loop is possible. A stack instead of recursion: depth is data.
 */
const collect = async (opener: Opener, from: Start, options: WalkOptions): Promise<Outcome<Walked>> => {
  const skipped: Skipped = { unreadable: 0, unnamed: [] };
  const stack = [startLevel(from, options, skipped)];
  const paths: string[] = [];
  const stats: FileStat[] = [];
  const walked = (cut: boolean): Outcome<Walked> =>
    succeed({
      paths,
      truncated: cut,
      unreadable: skipped.unreadable || undefined,
      unnamed: skipped.unnamed.length === 0 ? undefined : skipped.unnamed,
      stats: options.stats ? stats : undefined,
    });
  const rest = breather();
  let directories = 1;
  let truncated = false;
  try {
    for (let level = stack.at(-1); level !== undefined; level = stack.at(-1)) {
      await rest();
      if (options.signal?.aborted) return { ok: false, error: CANCELLED };
      const entry = level.entries[level.next++];
      if (entry === undefined) {
        stack.pop()?.child.close();
        continue;
      }
      const path = level.prefix + entry.name;
      if (isIgnored(level.rules, path)) continue;
      if (!entry.isDirectory) {
        if (paths.length >= options.maxPaths) return walked(true);
        paths.push(path);
        if (options.stats) stats.push(statOf(`${level.child.self}/${entry.name}`));
      } else if (directories >= IO_LIMITS.walkDirectories) {
        return walked(true);
      } else if (stack.length >= IO_LIMITS.walkDepth) {
        truncated = true;
      } else {
        directories += 1;
        const below = descend(opener, level, entry.name, options, skipped);
        if (below !== undefined) stack.push(below);
      }
    }
    return walked(truncated);
  } finally {
    for (const level of stack) level.child.close();
  }
};

export const walkFiles = async (
  opener: Opener,
  roots: Roots,
  start: ResolvedPath,
  options: WalkOptions,
): Promise<Outcome<Walked>> => {
  const opened = await opener.folder(start.absolute, start.relative);
  if (!opened.ok) return opened;
  try {
    const rules = options.ignoreGitignore ? undefined : await rulesAbove(opener, roots, start);
    return await collect(opener, { folder: opened.value, start, rules }, options);
  } catch (error) {
    return { ok: false, error: systemFailure(error, 'list', start.relative) };
  } finally {
    await opened.value.close();
  }
};

/** As the walk does: what lies in a folder that is ignored is ignored too. */
export const ignores = async (opener: Opener, roots: Roots, { absolute, relative }: ResolvedPath): Promise<boolean> => {
  const rules = await rulesAbove(opener, roots, { absolute, relative });
  const names = relative.split('/');
  return names.some((_, index) =>
    isIgnored(rules, `${names.slice(0, index + 1).join('/')}${index < names.length - 1 ? '/' : ''}`),
  );
};
