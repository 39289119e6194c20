/**
 * The compiled form of the program is kept between its starts, which saves a fifth of their processor time. It is
 * code that will run, so it is kept in a folder that belongs to the person and that nobody else can write. Only the
 * program does this: a library has no say in how its host is compiled. NODE_DISABLE_COMPILE_CACHE=1 turns it off.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../disk/make-folder.ts';
import { halterPaths } from '../storage/paths.ts';

const OTHERS_WRITE = 0o022;

/** The folder, made where it is missing; undefined where others could put code there, or where it cannot be made. */
export const compiledFolder = (
  environment: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): string | undefined => {
  const folder = join(halterPaths(environment, platform).cache, 'compiled');
  try {
    makeFolder(folder);
    const found = lstatSync(folder);
    const isOwn = process.getuid === undefined || (found.uid === process.getuid() && (found.mode & OTHERS_WRITE) === 0);
    return found.isDirectory() && isOwn ? folder : undefined;
  } catch {
    return undefined;
  }
};

/** Before the rest of the program is loaded. Where nothing can be kept, everything is compiled as ever. */
export const keepCompiled = async (): Promise<void> => {
  const folder = compiledFolder(process.env, process.platform);
  const { enableCompileCache } = await import('node:module');
  if (folder !== undefined) enableCompileCache(folder);
};
