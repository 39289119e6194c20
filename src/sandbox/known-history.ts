/** What repositories held before a command: their objects, and which versions of a file their history names. */
import { lstatSync } from 'node:fs';
import path from 'node:path';
import { readSmallFile } from './anchored.ts';
import { entriesIn } from './folder-entries.ts';
import type { BroughtEntry } from './git-trees.ts';
import { SANDBOX_LIMITS } from './limits.ts';
import { inParts } from './new-objects.ts';
import type { ObjectReader, OwnGit } from './own-git.ts';
import { statAt } from './place.ts';

const NAME = /\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g;
/** Folders of a repository in which nothing refers to a commit. */
const WITHOUT_NAMES = new Set(['objects', 'hooks', 'info', 'lfs', 'rr-cache']);

/** The name of the commit that is checked out in a repository. */
export const headOf = (repository: string): string | undefined => {
  const read = (name: string): string | undefined =>
    readSmallFile(path.join(repository, name), SANDBOX_LIMITS.referenceBytes);
  const head = read('HEAD')?.trim() ?? '';
  const reference = /^ref: (refs\/\S+)$/.exec(head)?.[1];
  if (reference === undefined) return head.match(NAME)?.[0];
  if (reference.includes('..')) return undefined;
  const loose = read(reference)?.match(NAME)?.[0];
  if (loose !== undefined) return loose;
  return read('packed-refs')
    ?.split('\n')
    .find((line) => line.endsWith(` ${reference}`))
    ?.match(NAME)?.[0];
};

/** Every name of an object that references, logs and states of a repository hold. */
export const namesInRepository = (repository: string): Set<string> => {
  const names = new Set<string>();
  let files = 0;
  const visit = (folder: string): void => {
    for (const entry of entriesIn(folder)) {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory() && !WITHOUT_NAMES.has(entry.name)) visit(file);
      if (!entry.isFile() || entry.name === 'index' || files >= SANDBOX_LIMITS.referenceFiles) continue;
      files += 1;
      for (const name of readSmallFile(file, SANDBOX_LIMITS.referenceBytes)?.match(NAME) ?? []) names.add(name);
    }
  };
  visit(repository);
  return names;
};

/** Those of the entries that no commit of the history has at their path. */
export const notInHistory = async (
  entries: readonly BroughtEntry[],
  repositories: readonly string[],
  { known, reader }: { known: OwnGit; reader: ObjectReader },
): Promise<BroughtEntry[]> => {
  const paths = [...new Set(entries.map(({ path: file }) => file))];
  if (paths.length > SANDBOX_LIMITS.pathsInHistory) return [...entries];
  const names = [...new Set(repositories.flatMap((each) => [...namesInRepository(each)]))];
  const isThere = await inParts(names, (oid) => reader.has(oid));
  const tips = names.filter((_, index) => isThere[index] === true);
  if (tips.length === 0) return [...entries];
  const commits = await known.run(
    ['cat-file', '--batch-check=%(objectname)'],
    tips.map((oid) => `${oid}^{commit}\n`).join(''),
  );
  const lines = commits.output
    .toString('latin1')
    .split('\n')
    .filter((line) => /^[0-9a-f]+$/.test(line));
  const words = ['log', '--full-history', '-m', '--root', '--raw', '--no-abbrev', '--no-renames', '-z', '--format='];
  const { code, output } = await known.run(
    [...words, '--stdin', '--', ...paths],
    lines.map((line) => `${line}\n`).join(''),
  );
  if (code !== 0) return [...entries];
  const there = new Set<string>();
  const parts = output.toString('utf8').split('\0');
  for (const [index, part] of parts.entries()) {
    const [, before = '', after = '', from = '', to = ''] =
      /:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) [A-Z]$/.exec(part) ?? [];
    for (const [mode, oid] of [
      [before, from],
      [after, to],
    ])
      there.add(`${mode} ${oid} ${parts[index + 1]}`);
  }
  return entries.filter(({ mode, oid, path: file }) => !there.has(`${mode} ${oid} ${file}`));
};

/** The folder of the objects of a repository, and whether they have long names. */
export const storeOf = (repository: string): { store: string; isSha256: boolean } | undefined => {
  const store = path.join(repository, 'objects');
  if (statAt(store)?.isDirectory() !== true || statAt(path.join(repository, 'HEAD')) === undefined) return undefined;
  return { store, isSha256: hasLongNames(repository) };
};

export const hasLongNames = (repository: string): boolean =>
  /^\s*objectformat\s*=\s*"?sha256/im.test(
    readSmallFile(path.join(repository, 'config'), SANDBOX_LIMITS.configBytes) ?? '',
  );

/** Two paths of one folder are the same. */
export const isSameFolder = (one: string, other: string): boolean => {
  try {
    const [a, b] = [lstatSync(one), lstatSync(other)];
    return a.ino === b.ino && a.dev === b.dev;
  } catch {
    return false;
  }
};
