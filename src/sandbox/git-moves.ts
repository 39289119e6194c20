/**
 * Whether git, in a command, brought the files of a work tree to another commit: a checkout, a reset, a merge. Those files
 * mean nothing without the HEAD and the index that say which commit they are of. A commit leaves the files as they are.
 */
import fs from 'node:fs';
import path from 'node:path';
import { foldedName } from '../core/policy/sensitive-files.ts';
import { readSmallFile } from './anchored.ts';
import { type Layer, writtenFolder } from './layer.ts';
import { SANDBOX_LIMITS } from './limits.ts';

type Way = readonly string[];

/** The work tree of a repository's folder that the command moved, by its whole path; undefined where it moved none. */
export const movedWorkTree = (layer: Layer, repository: Way): string | undefined => {
  if (!isMoved(path.join(writtenFolder(layer), ...repository), path.join(layer.root, ...repository))) return undefined;
  const folder = path.join(layer.root, ...repository);
  if (foldedName(path.basename(folder)) === '.git') return path.dirname(folder);
  // A linked worktree: its folder is named in the repository's.
  const named = readSmallFile(path.join(folder, 'gitdir'), SANDBOX_LIMITS.configBytes)?.trim();
  return named === undefined ? undefined : path.dirname(path.resolve(folder, named));
};

/** What the log of HEAD says that the command did; without a log, whether HEAD is another one. */
const isMoved = (written: string, real: string): boolean => {
  const log = textOf(path.join(written, 'logs', 'HEAD'));
  const before = textOf(path.join(real, 'logs', 'HEAD')) ?? '';
  if (log !== undefined) return newLines(log, before).some((line) => !LEAVES_FILES.test(line.split('\t')[1] ?? ''));
  const head = textOf(path.join(written, 'HEAD'));
  const isOther = head !== undefined && head !== textOf(path.join(real, 'HEAD'));
  return isOther || fs.existsSync(path.join(written, 'ORIG_HEAD'));
};
const LEAVES_FILES = /^(?:commit(?: \((?:initial|amend)\))?:|Branch: renamed)/;

/** Both went on from the same log. */
const newLines = (log: string, before: string): string[] => {
  const [lines, old] = [log.split('\n'), before.split('\n')];
  const same = lines.findIndex((line, index) => line !== old[index]);
  return same < 0 ? [] : lines.slice(same).filter((line) => line !== '');
};

const textOf = (file: string): string | undefined => readSmallFile(file, SANDBOX_LIMITS.reflogBytes);
