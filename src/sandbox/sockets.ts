/** Sockets with a path that somebody listens at: through one a command could ask others to do what it may not do itself. */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { SANDBOX_LIMITS } from './limits.ts';
import { unlessShort } from './shortage.ts';

/** `isWhole`: no socket is known that could not be named, or was one too many. */
export type BoundSockets = { files: string[]; isWhole: boolean };

/** Folders that show nothing of the outside, so that no socket of it lies there. */
const SOCKET_FREE = ['/tmp', '/var/tmp', '/run', '/var/run', '/dev', '/proc'];
const LINE = /^[0-9a-f]+:(?: +[0-9A-F]+){5} +([0-9]+) (.+)$/;

/**
 * As the kernel lists them, of every network that a process of this person is in. Those that are bound later are not seen;
 * the folders of sockets are empty inside anyway. `isHidden`: folders that are not shown inside either.
 */
export const boundSockets = (isHidden: (file: string) => boolean, proc = '/proc'): BoundSockets => {
  const files = new Set<string>();
  const relative = new Map<string, string>();
  for (const table of tablesIn(proc)) {
    for (const line of table.split('\n')) {
      const [, inode = '', name = ''] = LINE.exec(line) ?? [];
      if (name.startsWith('/')) files.add(name);
      else if (name !== '' && !name.startsWith('@')) relative.set(inode, name);
    }
  }
  const owners = relative.size === 0 ? new Map<string, string>() : foldersOf([...relative.keys()], proc);
  let isWhole = true;
  for (const [inode, name] of relative) {
    const folder = owners.get(inode);
    if (folder === undefined) isWhole = false;
    else files.add(path.resolve(folder, name));
  }
  const seen = [...files].filter((file) => !isFree(file) && !isHidden(file) && isSocket(file));
  return {
    files: seen.slice(0, SANDBOX_LIMITS.sockets),
    isWhole: isWhole && seen.length <= SANDBOX_LIMITS.sockets,
  };
};

const isFree = (file: string): boolean => SOCKET_FREE.some((folder) => file.startsWith(`${folder}/`));

/** One table for each network; those of other people's processes cannot be read. */
const tablesIn = (proc: string): string[] => {
  const tables: string[] = [];
  const networks = new Set<string>();
  for (const pid of ['self', ...processesIn(proc)]) {
    try {
      const network = readlinkSync(`${proc}/${pid}/ns/net`);
      if (networks.has(network)) continue;
      tables.push(readFileSync(`${proc}/${pid}/net/unix`, 'utf8'));
      networks.add(network);
    } catch (error) {
      unlessShort(error, undefined);
    }
  }
  return tables;
};

const processesIn = (proc: string): string[] => {
  try {
    return readdirSync(proc).filter((name) => /^[0-9]+$/.test(name));
  } catch (error) {
    return unlessShort(error, []);
  }
};

/** A socket that was bound by a relative name lies below the folder of whoever holds it. */
const foldersOf = (inodes: readonly string[], proc: string): Map<string, string> => {
  const wanted = new Map(inodes.map((inode) => [`socket:[${inode}]`, inode]));
  const found = new Map<string, string>();
  for (const pid of processesIn(proc)) {
    if (found.size === wanted.size) break;
    try {
      for (const number of readdirSync(`${proc}/${pid}/fd`)) {
        const inode = wanted.get(linkAt(`${proc}/${pid}/fd/${number}`));
        if (inode !== undefined) found.set(inode, readlinkSync(`${proc}/${pid}/cwd`));
      }
    } catch (error) {
      unlessShort(error, undefined);
    }
  }
  return found;
};

const linkAt = (file: string): string => {
  try {
    return readlinkSync(file);
  } catch (error) {
    return unlessShort(error, '');
  }
};

const isSocket = (file: string): boolean => {
  try {
    return lstatSync(file).isSocket();
  } catch {
    return false;
  }
};
