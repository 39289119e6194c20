/**
 * What was typed and not sent: one small file for each session, and before the first message one for each window, since
 * two windows may be open in a folder.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../disk/make-folder.ts';
import { isProcessAlive } from '../storage/atomic-file.ts';
import type { UnsentStore } from '../terminal/app-options.ts';

/** The process of a window, and whether that of another one is there. */
export type Windows = { pid: number; isAlive(pid: number): boolean };
type Kept = { file: string; pid?: number | undefined; text: string; at: number };

/** Where it cannot be kept, it is forgotten: typing goes on. */
export const openUnsent = (
  dataFolder: string,
  workspace: string,
  { pid, isAlive }: Windows = { pid: process.pid, isAlive: isProcessAlive },
): UnsentStore => {
  const folder = join(dataFolder, 'unsent');
  const ofFolder = nameOf(`folder ${workspace}`);
  const fileOf = (sessionId: string | undefined): string =>
    join(folder, `${sessionId === undefined ? `${ofFolder}-${pid}` : nameOf(`session ${sessionId}`)}.json`);
  /** What windows of this folder left that are gone; another one that is open is being typed into. */
  const left = (): Kept[] =>
    namesIn(folder)
      .filter((name) => name.startsWith(ofFolder) && name.endsWith('.json'))
      .flatMap((name) => readKept(join(folder, name)) ?? [])
      .filter((kept) => kept.pid === undefined || kept.pid === pid || !isAlive(kept.pid))
      .sort((one, other) => other.at - one.at);
  const keep: UnsentStore['keep'] = (sessionId, text, isOver = false) => {
    const file = fileOf(sessionId);
    try {
      if (text === '') return rmSync(file, { force: true });
      makeFolder(folder);
      const fresh = `${file}.${pid}`;
      writeFileSync(fresh, JSON.stringify({ ...(isOver ? {} : { pid }), text }), { mode: 0o600 });
      renameSync(fresh, file);
    } catch {
      return undefined;
    }
  };
  return {
    read(sessionId) {
      if (sessionId !== undefined) return readKept(fileOf(sessionId))?.text;
      const [newest] = left();
      if (newest === undefined) return undefined;
      // It is this window's from here on, so that the next one does not offer it too.
      keep(undefined, newest.text);
      if (newest.file !== fileOf(undefined)) rmSync(newest.file, { force: true });
      return newest.text;
    },
    keep,
  };
};

const nameOf = (what: string): string => createHash('sha256').update(what).digest('hex').slice(0, 32);

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

/** Undefined where there is none, or none that can be read. */
const readKept = (file: string): Kept | undefined => {
  try {
    const { pid, text } = JSON.parse(readFileSync(file, 'utf8')) as { pid?: unknown; text?: unknown };
    if (typeof text !== 'string' || text === '') return undefined;
    return { file, pid: typeof pid === 'number' ? pid : undefined, text, at: statSync(file).mtimeMs };
  } catch {
    return undefined;
  }
};
