import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** Links in a row that lead to what is not there. */
const LINKS = 40;

/**
 * Where a path really leads, part by part as the system goes: `..` after a link is not where the text says. What is not
 * there yet is taken as written. Undefined where it cannot be known.
 */
export const whereTo = (start: string, file: string, links = LINKS): string | undefined => {
  let at = start;
  let there = true;
  for (const part of file.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      at = path.dirname(at);
      continue;
    }
    const folder = at;
    at = at === '/' ? `/${part}` : `${at}/${part}`;
    if (!there) continue;
    try {
      const stat = lstatSync(at, { throwIfNoEntry: false });
      if (stat === undefined) there = false;
      else if (stat.isSymbolicLink()) {
        const target = behindLink(folder, at, links);
        if (target === undefined) return undefined;
        at = target;
      }
    } catch {
      return undefined;
    }
  }
  return at;
};

const behindLink = (folder: string, link: string, links: number): string | undefined => {
  try {
    return realpathSync.native(link);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || links === 0) throw error;
    const target = readlinkSync(link);
    return whereTo(target.startsWith('/') ? '/' : folder, target, links - 1);
  }
};
