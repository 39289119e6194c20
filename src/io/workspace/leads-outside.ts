/**
 * Whether a path leaves the open folders through a link, told without touching anything outside. Asked where something
 * could not be opened: what is behind a link that leads outside is refused in the same words whether it is there or not,
 * and so nothing can be learned of it.
 */
import fs from 'node:fs';
import nodePath from 'node:path';
import { IO_LIMITS } from '../limits.ts';
import { isOpenTo, isWithin, type Roots } from './paths.ts';

/** The reason where something lies behind such a link. */
export const LEADS_OUTSIDE = 'leads_outside';

/** `path` is absolute; its first part may be an open folder by its descriptor. */
export const leadsOutside = (roots: Roots, path: string): boolean => {
  let waiting = partsOf(path);
  let place = rootOf(path);
  let hops = 0;
  for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
    const next = part === '..' ? nodePath.dirname(place) : nodePath.join(place, part);
    // Above the open folders, which are real paths, there is no link to follow.
    if (isAbove(roots, next)) {
      place = next;
      continue;
    }
    if (!isOpenTo(roots, next)) return true;
    const target = linkTarget(next);
    if (target === 'unknown') return false;
    if (target === undefined) place = next;
    else {
      hops += 1;
      if (hops > IO_LIMITS.linkHops) return false;
      if (nodePath.isAbsolute(target)) place = rootOf(target);
      waiting = [...partsOf(unaliased(roots, target)), ...waiting];
    }
  }
  return false;
};

const rootOf = (path: string): string => nodePath.parse(path).root;
const partsOf = (path: string): string[] =>
  path
    .slice(rootOf(path).length)
    .split(/[\\/]/)
    .filter((part) => part !== '' && part !== '.');

const isAbove = (roots: Roots, path: string): boolean =>
  [roots.main, ...roots.additional].some((root) => isWithin(path, root));

/** The person may have made the link by another spelling of the workspace. */
const unaliased = (roots: Roots, target: string): string => {
  const alias = nodePath.isAbsolute(target) ? roots.aliases.find((known) => isWithin(known, target)) : undefined;
  return alias === undefined ? target : nodePath.join(roots.main, nodePath.relative(alias, target));
};

/** Undefined where it is no link; `unknown` where it cannot be looked at, and the system's own words say why. */
const linkTarget = (path: string): string | 'unknown' | undefined => {
  try {
    return fs.lstatSync(path).isSymbolicLink() ? fs.readlinkSync(path) : undefined;
  } catch {
    return 'unknown';
  }
};
