/** Judges what a command changed by every name under which other programs read it. */
import path from 'node:path';
import {
  isAutoExecutedPath,
  isNeverWritten,
  isPartOfAutoloadedWay,
  isSecretPath,
} from '../core/policy/sensitive-files.ts';
import {
  type AutoloadedLinks,
  autoloadedLinksOf,
  createAutoloadedLinks,
  holdsAutoloaded,
  type ReadAs,
} from './autoloaded-links.ts';
import { followLinks, readLink } from './follow-links.ts';
import type { Change } from './git-folder.ts';
import { BY_THEMSELVES, isUnchanged, type Judge } from './judge.ts';
import { statAt as statOf } from './place.ts';

export type JudgedFolder = { root: string; judge: Judge };
export type LinkedJudgeOptions = {
  /** All that commands may write to, this folder too. */
  folders: readonly JudgedFolder[];
  home: string;
  /** Links of these folders, by their whole paths, and whether they are all known by now. */
  links(): { all: string[]; isWhole: boolean };
};

/** Where a layer has a file of a folder; undefined where it has none. */
type WrittenAt = (file: string) => string | undefined;

export const createLinkedJudge = (
  { root, judge }: JudgedFolder,
  { folders, home, links }: LinkedJudgeOptions,
  writtenAt: WrittenAt,
): Judge => {
  const faultAt = (file: string, change: Change): string | undefined => {
    const holder = folders
      .filter((folder) => file.startsWith(`${folder.root}/`))
      .sort((a, b) => b.root.length - a.root.length)[0];
    if (holder !== undefined) return holder.judge.fault(file.slice(holder.root.length + 1).split('/'), change);
    return isAutoExecutedPath(path.relative(home, file)) ? BY_THEMSELVES : undefined;
  };
  let found: AutoloadedLinks | undefined;
  const later = new Set<string>();
  const autoloaded = (): AutoloadedLinks => {
    if (found !== undefined) return found;
    const { all, isWhole } = links();
    const made = createAutoloadedLinks({
      roots: folders.map((folder) => folder.root),
      links: [...all, ...autoloadedLinksOf(home), ...later],
      isAutoloaded: (file) => faultAt(file, SOMETHING) !== undefined,
      // What stands there goes before what a command would put in its place.
      linkAt: (file) => (statOf(file) === undefined ? readLink(writtenAt(file) ?? '') : readLink(file)),
    });
    if (isWhole) found = made;
    return made;
  };
  const throughLinks = (file: string, change: Change): (ReadAs & { reason: string })[] =>
    isUnchanged(change)
      ? []
      : autoloaded()
          .readAs(file, change.kind)
          .flatMap((each) => {
            const reason = faultAt(each.as, change);
            return reason === undefined ? [] : [{ ...each, reason }];
          });
  const shown = (link: string): string => (link.startsWith(`${root}/`) ? path.relative(root, link) : link);

  return {
    ...judge,
    fault(way, change) {
      const own = judge.fault(way, change);
      if (own !== undefined) return own;
      const file = path.join(root, ...way);
      const [first] = throughLinks(file, change);
      if (first !== undefined) return `the link ${shown(first.link)} leads to it: ${first.reason}`;
      const target =
        change.kind === 'link' ? followLinks(path.resolve(file, '..', change.text() ?? ''))?.target : undefined;
      return target !== undefined && holdsAutoloaded(target, file) ? BY_THEMSELVES : undefined;
    },
    isAskedAbout(way, change) {
      return throughLinks(path.join(root, ...way), change).every(
        ({ as }) => !isNeverWritten(as) && !(change.wasThere && isSecretPath(as)),
      );
    },
    noteLink(way, by) {
      // One of a command that is not kept itself leads nowhere.
      if (by === 'command' && (!isPartOfAutoloadedWay(way.at(-1) ?? '') || judge.fault(way, A_LINK) !== undefined))
        return;
      later.add(path.join(root, ...way));
      found = undefined;
    },
  };
};

/** A file that says anything. */
const SOMETHING: Change = {
  kind: 'file',
  text: () => undefined,
  before: () => undefined,
  wasThere: true,
  isOtherMode: () => true,
};
const A_LINK: Change = { ...SOMETHING, kind: 'link' };
