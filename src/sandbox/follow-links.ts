/** Where a path leads, and over which links. What is not there counts as well: somebody may make it. */
import fs from 'node:fs';
import path from 'node:path';
import { SANDBOX_LIMITS } from './limits.ts';

export type Followed = {
  target: string;
  /** The links on the way, by their whole paths: in the place of each something else could stand. */
  links: readonly string[];
  /** What the path reads as after each link, the target last. */
  names: readonly string[];
};
/** Where the link at a whole path leads; undefined where there is none. */
export type ReadLink = (file: string) => string | undefined;

export const readLink: ReadLink = (file) => {
  try {
    return fs.readlinkSync(file);
  } catch {
    return undefined;
  }
};

/** Undefined where it leads nowhere, as a circle of links. */
export const followLinks = (file: string, linkAt: ReadLink = readLink): Followed | undefined => {
  const links: string[] = [];
  const names: string[] = [];
  const waiting = segmentsOf(file).reverse();
  let at = path.parse(file).root || '/';
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (part === '..') at = path.dirname(at);
    if (part === '..') continue;
    const next = path.join(at, part);
    const target = linkAt(next);
    if (target === undefined) {
      at = next;
      continue;
    }
    links.push(next);
    if (links.length > SANDBOX_LIMITS.linksFollowed) return undefined;
    if (path.isAbsolute(target)) at = path.parse(target).root;
    waiting.push(...segmentsOf(target).reverse());
    names.push(path.resolve(at, ...waiting.toReversed()));
  }
  return { target: at, links, names: [...names, at] };
};

const segmentsOf = (file: string): string[] =>
  file
    .slice(path.parse(file).root.length)
    .split(path.sep === '/' ? '/' : /[\\/]/)
    .filter((part) => part !== '' && part !== '.');
