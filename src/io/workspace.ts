import { realpathSync, statSync } from 'node:fs';
import nodePath from 'node:path';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { Workspace } from '../core/ports.ts';
import { plainOrQuoted } from '../core/quoted-name.ts';
import { IO_LIMITS } from './limits.ts';
import { placeEntry, readEntry, removeEntry, setFileMode } from './workspace/entry.ts';
import { systemFailure } from './workspace/faults.ts';
import { fileStat } from './workspace/kinds.ts';
import { listFolder } from './workspace/list.ts';
import type { Opener } from './workspace/opener.ts';
import { canOpenByDescriptor, openerByDescriptor } from './workspace/opener-by-descriptor.ts';
import { openerByPath } from './workspace/opener-by-path.ts';
import { nameOf, type ResolvedPath, type Roots, resolvePath } from './workspace/paths.ts';
import { checkReadable } from './workspace/protected.ts';
import { hashOf, readRegularFile } from './workspace/read.ts';
import { removeEmptyFolder, removeRegularFile } from './workspace/remove.ts';
import { OWN_CALLS, POOLED_CALLS } from './workspace/system-calls.ts';
import { ignores, walkFiles } from './workspace/walk.ts';
import { writeRegularFile } from './workspace/write.ts';
import type { WriteContext } from './workspace/write-target.ts';

export type WorkspaceOptions = {
  root: string;
  /** Folders that the person opened besides; named by their absolute path. */
  additionalRoots?: readonly string[];
  /** Absolute paths that no tool writes to, such as halter's own settings when the workspace is the home folder. */
  protectedPaths?: readonly string[];
  /** The way files are opened; chosen by the system unless a test says otherwise. */
  openBy?: 'descriptor' | 'path';
  /** The thread that asks has nothing else to do, so the system may keep it waiting (Linux). */
  blocking?: boolean;
};

/** From this very thread: opening is a dozen calls in turn, and each costs fourteen times as much through the pool. */
const realFolder = (path: string): Outcome<string> => {
  try {
    const real = realpathSync.native(path);
    if (statSync(real).isDirectory()) return succeed(real);
    return failure('validation_failed', `${path} is not a folder`);
  } catch (error) {
    const problem = systemFailure(error, 'open', path);
    const message = problem.error_type === 'not_found' ? `No such folder: ${plainOrQuoted(path)}` : problem.message;
    return { ok: false, error: { ...problem, message } };
  }
};

/** Protected paths count whether or not they exist yet. */
const realOrAsGiven = (path: string): string => {
  const absolute = nodePath.resolve(path);
  try {
    return realpathSync.native(absolute);
  } catch {
    const parent = nodePath.dirname(absolute);
    return parent === absolute ? absolute : nodePath.join(realOrAsGiven(parent), nodePath.basename(absolute));
  }
};

/** What the conversation last saw of each file, oldest forgotten first. */
const createSeen = (): { get(key: string): string | undefined; set(key: string, hash: string): void } => {
  const hashes = new Map<string, string>();
  return {
    get: (key) => hashes.get(key),
    set: (key, hash) => {
      hashes.delete(key);
      hashes.set(key, hash);
      const oldest = hashes.keys().next();
      if (hashes.size > IO_LIMITS.seenPaths && !oldest.done) hashes.delete(oldest.value);
    },
  };
};

const assemble = (roots: Roots, opener: Opener, protectedPaths: readonly string[]): Workspace => {
  const seen = createSeen();
  // A file read under one name and written under another (a link) is one file.
  const realNames = createSeen();
  const resolved = (path: string): Outcome<ResolvedPath> => resolvePath(roots, path);
  const keyOf = (path: string): string => {
    const place = resolved(path);
    return place.ok ? (realNames.get(place.value.relative) ?? place.value.relative) : path;
  };
  const removeEmpty = async (context: WriteContext, folders: readonly string[]): Promise<void> => {
    for (const folder of folders.toReversed()) {
      const found = resolved(folder);
      if (!found.ok || !(await removeEmptyFolder(context, found.value.absolute, found.value.relative))) break;
    }
  };
  return {
    root: roots.main,
    resolve: (path) => {
      const place = resolved(path);
      return place.ok ? succeed(place.value.relative) : place;
    },
    stat: async (path) => {
      const place = resolved(path);
      if (!place.ok) return place;
      const located = await opener.locate(place.value.absolute, place.value.relative);
      if (!located.ok) return located;
      await located.value.close();
      return succeed(fileStat(located.value.stat));
    },
    list: async (path) => {
      const place = resolved(path);
      return place.ok ? listFolder(opener, place.value.absolute, place.value.relative) : place;
    },
    readFile: async (path, options) => {
      const place = resolved(path);
      if (!place.ok) return place;
      const read = await readRegularFile(opener, place.value.absolute, place.value.relative, options);
      if (!read.ok) return read;
      const readable = checkReadable(roots, read.value.realPath, place.value.relative);
      if (!readable.ok) return readable;
      realNames.set(place.value.relative, nameOf(roots, read.value.realPath));
      return succeed({ path: place.value.relative, ...read.value.file });
    },
    writeFile: async (path, bytes, options = {}) => {
      const place = resolved(path);
      if (!place.ok) return place;
      if (/[\\/]$/.test(path)) return failure('validation_failed', `${path} names a folder, not a file`);
      const { absolute, relative } = place.value;
      const written = await writeRegularFile({ opener, roots, protectedPaths }, absolute, relative, bytes, options);
      if (written.ok) seen.set(keyOf(path), hashOf(bytes));
      return written;
    },
    removeFile: async (path, { expectedHash, folders = [] }) => {
      const place = resolved(path);
      if (!place.ok) return place;
      const context = { opener, roots, protectedPaths };
      const { absolute, relative } = place.value;
      const removed = await removeRegularFile(context, absolute, relative, expectedHash);
      if (!removed.ok) return removed;
      await removeEmpty(context, folders);
      return removed;
    },
    entry: async (path) => {
      const place = resolved(path);
      const context = { opener, roots, protectedPaths };
      return place.ok ? readEntry(context, place.value.absolute, place.value.relative) : place;
    },
    placeEntry: async (path, wanted) => {
      const place = resolved(path);
      const context = { opener, roots, protectedPaths };
      return place.ok ? placeEntry(context, place.value.absolute, place.value.relative, wanted) : place;
    },
    removeEntry: async (path, expected, folders = []) => {
      const place = resolved(path);
      if (!place.ok) return place;
      const context = { opener, roots, protectedPaths };
      const removed = await removeEntry(context, place.value.absolute, place.value.relative, expected);
      if (removed.ok) await removeEmpty(context, folders);
      return removed;
    },
    setMode: async (path, modes) => {
      const place = resolved(path);
      const context = { opener, roots, protectedPaths };
      return place.ok ? setFileMode(context, place.value.absolute, place.value.relative, modes) : place;
    },
    isIgnored: async (path) => {
      const place = resolvePath(roots, path);
      return place.ok && ignores(opener, roots, place.value);
    },
    walk: async (options) => {
      const place = resolved(options.path ?? '.');
      return place.ok ? walkFiles(opener, roots, place.value, options) : place;
    },
    fileName: keyOf,
    seenHash: (path) => seen.get(keyOf(path)),
    markSeen: (path, hash) => seen.set(keyOf(path), hash),
  };
};

/** Opens a folder as a workspace. */
export const createWorkspace = async (options: WorkspaceOptions): Promise<Outcome<Workspace>> => {
  const main = realFolder(options.root);
  if (!main.ok) return main;
  const additional: string[] = [];
  for (const path of options.additionalRoots ?? []) {
    const real = realFolder(path);
    if (!real.ok) return real;
    additional.push(real.value);
  }
  const roots: Roots = { main: main.value, additional, aliases: [nodePath.resolve(options.root)] };
  const protectedPaths = (options.protectedPaths ?? []).map(realOrAsGiven);
  const openBy = options.openBy ?? (canOpenByDescriptor(main.value) ? 'descriptor' : 'path');
  const calls = options.blocking ? OWN_CALLS : POOLED_CALLS;
  return succeed(
    assemble(roots, openBy === 'descriptor' ? openerByDescriptor(roots, calls) : openerByPath(roots), protectedPaths),
  );
};
