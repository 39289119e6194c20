/**
 * Files that are autoloaded although their own name is ordinary: a link with a name that counts leads to them, or to a folder
 * above them. What happens to such a file, happens to what the link stands for.
 */

import path from 'node:path';
import { isAutoExecutedPath, isPartOfAutoloadedWay } from '../core/policy/sensitive-files.ts';
import { entriesIn, readNames } from './folder-entries.ts';
import { followLinks, type ReadLink, readLink } from './follow-links.ts';
import type { Change } from './git-folder.ts';
import { SANDBOX_LIMITS } from './limits.ts';

/** A place by its whole path, which is read as `as` too, because of `link`. */
type Place = { path: string; as: string; link: string; isTarget: boolean };
/** What a file is read as, beside its own path. */
export type ReadAs = { as: string; link: string };

export type AutoloadedLinks = { readAs(file: string, kind: Change['kind']): ReadAs[] };

export type LinkSources = {
  /** Writable folders. A link to the whole of one says nothing of what lies in it. */
  roots: readonly string[];
  /** Links by their whole paths. */
  links: readonly string[];
  /** Whether a file would be autoloaded at a whole path. */
  isAutoloaded(file: string): boolean;
  linkAt?: ReadLink;
};

export const createAutoloadedLinks = ({
  roots,
  links,
  isAutoloaded,
  linkAt = readLink,
}: LinkSources): AutoloadedLinks => {
  let places: Place[] | undefined;

  const counts = (as: string): boolean => isPartOfAutoloadedWay(path.basename(as)) || isAutoloaded(as);
  const isWhole = (target: string): boolean => roots.some((root) => liesIn(root, target));

  const find = (): Place[] => {
    const found: Place[] = [];
    const seen = new Set<string>();
    const all = [...new Set(links)].sort();
    const waiting = all.flatMap((link) => (counts(link) ? [{ link, as: link, over: [link] }] : []));
    for (let at = 0; at < waiting.length && at < SANDBOX_LIMITS.autoloadedLinks; at += 1) {
      const { link, as, over } = waiting[at] ?? { link: '', as: '', over: [] };
      const followed = followLinks(link, linkAt);
      if (followed === undefined) continue;
      for (const hop of followed.links) if (hop !== link) found.push({ path: hop, as, link, isTarget: false });
      const { target } = followed;
      if (isWhole(target)) continue;
      found.push({ path: target, as, link, isTarget: true });
      // One name that is autoloaded whatever stands before it says all of what lies below.
      const key = isAutoExecutedPath(path.basename(as)) ? target : `${target}\0${as}`;
      if (seen.has(key)) continue;
      seen.add(key);
      for (const each of startingWith(`${target}/`, all)) {
        if (over.includes(each)) continue;
        const below = as + each.slice(target.length);
        if (counts(below)) waiting.push({ link: each, as: below, over: [...over, each] });
      }
    }
    return found;
  };

  return {
    readAs(file, kind) {
      places ??= find();
      return places.flatMap(({ path: place, as, link, isTarget }): ReadAs[] => {
        if (file === place) return [{ as, link }];
        if (isTarget && file.startsWith(`${place}/`)) return [{ as: as + file.slice(place.length), link }];
        // A link in the place of a folder on the way, or a folder that is gone while the link stays.
        const isWay = kind === 'link' || (kind === 'removed' && !link.startsWith(`${file}/`));
        return isWay && place.startsWith(`${file}/`) ? [{ as, link }] : [];
      });
    },
  };
};

/** Of sorted texts. */
function* startingWith(start: string, sorted: readonly string[]): Iterable<string> {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? '') < start) from = middle + 1;
    else to = middle;
  }
  for (; sorted[from]?.startsWith(start); from += 1) yield sorted[from] ?? '';
}

const liesIn = (file: string, folder: string): boolean => file === folder || `${file}/`.startsWith(`${folder}/`);

/** Whether a folder holds what is autoloaded at another place alone, as `fish` is in `.config`. */
export const holdsAutoloaded = (folder: string, as: string): boolean => {
  if (!isPartOfAutoloadedWay(path.basename(as))) return false;
  try {
    return readNames(folder).some((name) => {
      const [here, there] = [path.join(folder, name), path.join(as, name)];
      return (isAutoExecutedPath(there) && !isAutoExecutedPath(name)) || holdsAutoloaded(here, there);
    });
  } catch {
    return false;
  }
};

/** Links of the home folder that others obey, by their whole paths. What lies in `.local/bin` is started by hand. */
export const autoloadedLinksOf = (home: string): string[] =>
  ['', '.config', '.vim'].flatMap((below) =>
    linksIn(path.join(home, below)).filter(
      (link) => isAutoExecutedPath(path.relative(home, link)) || isPartOfAutoloadedWay(path.basename(link)),
    ),
  );

const linksIn = (folder: string): string[] => {
  return entriesIn(folder).flatMap((entry) => (entry.isSymbolicLink() ? [path.join(folder, entry.name)] : []));
};
