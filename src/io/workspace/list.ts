import fs from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { mayBeOdd, splitNames } from '../../core/byte-names.ts';
import { type Outcome, succeed } from '../../core/outcome.ts';
import type { DirectoryEntry } from '../../core/ports.ts';
import { IO_LIMITS } from '../limits.ts';
import { systemCode, systemFailure } from './faults.ts';
import { fileStat } from './kinds.ts';
import type { Opener } from './opener.ts';
import { isTemporaryName } from './temporary.ts';

/** Lets the rest of the program run now and then during a long stretch of quick system calls. */
export const breather = (): (() => Promise<void>) => {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < IO_LIMITS.walkSliceMs) return;
    await setImmediate();
    since = performance.now();
  };
};

/** Names as text, and those that are none. */
export const namesIn = (folder: string): ReturnType<typeof splitNames<Buffer>> => {
  const texts = fs.readdirSync(folder);
  return texts.some(mayBeOdd) ? splitNames(fs.readdirSync(folder, { encoding: 'buffer' })) : { texts, odd: [] };
};

const entryOf = (path: string | Buffer, name: string): DirectoryEntry | undefined => {
  try {
    const { kind, size, modified_ms } = fileStat(fs.lstatSync(path));
    return { name, kind, size, modified_ms };
  } catch (error) {
    // It went away meanwhile.
    if (systemCode(error) === 'ENOENT') return undefined;
    if (systemCode(error) === undefined) throw error;
    return { name, kind: 'other', size: 0, modified_ms: 0 };
  }
};

/** The entries of one folder, by name. Links are reported as links. */
export const listFolder = async (
  opener: Opener,
  absolute: string,
  name: string,
): Promise<Outcome<DirectoryEntry[]>> => {
  const opened = await opener.folder(absolute, name);
  if (!opened.ok) return opened;
  const folder = opened.value;
  const rest = breather();
  try {
    const entries: DirectoryEntry[] = [];
    const { texts, odd } = namesIn(folder.self);
    for (const entryName of texts.sort()) {
      await rest();
      if (isTemporaryName(entryName)) continue;
      const entry = entryOf(folder.at(entryName), entryName);
      if (entry !== undefined) entries.push(entry);
    }
    for (const { bytes, shown } of odd) {
      const entry = entryOf(Buffer.concat([Buffer.from(folder.at('')), bytes]), shown);
      if (entry !== undefined) entries.push({ ...entry, unnamed: true });
    }
    return succeed(entries);
  } catch (error) {
    return { ok: false, error: systemFailure(error, 'list', name) };
  } finally {
    await folder.close();
  }
};
