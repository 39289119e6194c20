/** Files that the person names on the command line. They are the person's own words, so no workspace confines them. */

import { randomUUID } from 'node:crypto';
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseNested } from '../core/nested-json.ts';
import { quotedName } from '../core/quoted-name.ts';
import { type Io, UsageError } from './io.ts';
import { CLI_LIMITS } from './limits.ts';
import { readNamed, writeNamedPipe } from './named-file.ts';

/** Why a file that the person named cannot be read or written, for the end of a sentence. */
export const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES') return 'it may not be read or written';
  if (code === 'EISDIR') return 'it is a folder';
  if (code === 'ENXIO') return 'it is a socket';
  if (code === 'ENAMETOOLONG') return 'the name is too long';
  return message;
};

/** The text of a file, or a usage error that names the flag. Pipes such as `<(command)` are read too. */
export const readNamedFile = async (
  path: string,
  flag: string,
  cwd: string,
  maxBytes: number = CLI_LIMITS.commandFileBytes,
): Promise<string> => {
  try {
    const bytes = await readNamed(resolve(cwd, path), maxBytes);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const reason = error instanceof TypeError ? 'it is not text' : reasonOf(error);
    throw new UsageError(`${flag} ${quotedName(path)}: ${reason}.`);
  }
};

export const readNamedJson = async (path: string, flag: string, cwd: string): Promise<unknown> => {
  const text = await readNamedFile(path, flag, cwd);
  return parseNamedJson(text, flag, path);
};

/** `name`: what the text is known by, where it was not given itself. */
export const parseNamedJson = (text: string, flag: string, name = text): unknown => {
  try {
    return parseNested(text);
  } catch (error) {
    throw new UsageError(`${flag} ${quotedName(name)} is not JSON: ${(error as Error).message}.`);
  }
};

/** `TEXT` or `@FILE`. */
export const textOrFile = async (value: string, flag: string, cwd: string): Promise<string> =>
  value.startsWith('@') ? readNamedFile(value.slice(1), flag, cwd) : value;

/** Looks before a run that may take minutes whether its answer can be written at its end. */
export const checkOutputFile = async (path: string, io: Io): Promise<void> => {
  const folder = dirname(resolve(io.cwd, path));
  const found = await stat(folder).catch(() => undefined);
  if (!found?.isDirectory()) throw new UsageError(`--output ${quotedName(path)}: there is no folder ${folder}.`);
  const target = await stat(resolve(io.cwd, path)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new UsageError(`--output ${quotedName(path)}: ${reasonOf(error)}.`);
  });
  if (target?.isDirectory()) throw new UsageError(`--output ${quotedName(path)}: it is a folder.`);
};

/** What no answer takes the place of; a pipe or a device keeps nothing. */
export const isKeptFile = async (path: string, io: Io): Promise<boolean> =>
  (await stat(resolve(io.cwd, path)).catch(() => undefined))?.isFile() === true;

/** Whole or not at all; a pipe or a device is written as it is. `isEnded`: no reader of a pipe is waited for. */
export const writeOutputFile = async (
  path: string,
  text: string,
  io: Io,
  isEnded = (): boolean => false,
): Promise<string | undefined> => {
  const target = resolve(io.cwd, path);
  try {
    const found = await stat(target).catch(() => undefined);
    if (found && !found.isFile()) {
      if (found.isFIFO()) await writeNamedPipe(target, text, isEnded);
      else await writeFile(target, text);
      return undefined;
    }
    const temporary = join(dirname(target), `.halter-${randomUUID()}.tmp`);
    try {
      await writeFile(temporary, text, { flush: true, mode: found?.mode });
      await rename(temporary, target);
    } finally {
      await rm(temporary, { force: true });
    }
    return undefined;
  } catch (error) {
    return `${quotedName(path)} could not be written: ${reasonOf(error)}`;
  }
};
