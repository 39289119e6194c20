/**
 * The objects that a command put into a repository. Each has to be what its name says, since git believes the name: an
 * object that was written over would change commits that were there before.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { createInflate, inflateSync } from 'node:zlib';
import { readSmallBytes } from './anchored.ts';
import type { Change } from './git-folder.ts';
import { readCommit } from './git-trees.ts';
import { SANDBOX_LIMITS } from './limits.ts';
import type { GitObject, ObjectReader, OwnGit } from './own-git.ts';

/** What a command made of the folder of a repository. */
export type RepositoryChange = {
  /** That folder as it was written, and the real one. */
  written: string;
  real: string;
  /** Files in it that were written or removed, by their paths from there. */
  files: readonly { inside: string; kind: Change['kind'] }[];
};

export type NewCommit = { oid: string; tree: string; parents: readonly string[] };
/** `reader` reads what the command left. */
export type NewObjects = { commits: NewCommit[]; trees: string[]; reader: ObjectReader };

/** Why a change cannot be kept, as the end of a sentence. */
export class RepositoryFault extends Error {}

const LOOSE = /^(?:.*\/)?objects\/([0-9a-f]{2})\/([0-9a-f]{38}|[0-9a-f]{62})$/;
const PACK = /^(.*\/|)objects\/pack\/([^/]+)\.(?:idx|pack)$/;
const WRONG = 'it holds an object of git that is not what its name says';

type Found = { names: Map<string, string>; read: Map<string, GitObject> };

/** `view` is to show what the command left; `known` tells what was there before. */
export const newObjects = async (
  change: RepositoryChange,
  { view, known }: { view: OwnGit; known: ObjectReader },
): Promise<NewObjects> => {
  const found: Found = { names: new Map(), read: new Map() };
  await readLoose(change, view, found);
  await readPacks(change, view, found);
  const reader = view.reader();
  const names = [...found.names.keys()];
  const isKnown = await inParts(names, (oid) => known.has(oid));
  const fresh = names.filter((_, index) => isKnown[index] !== true);
  const commits = fresh.filter((oid) => found.names.get(oid) === 'commit');
  const contents = await inParts(commits, async (oid) => found.read.get(oid) ?? (await reader.read(oid)));
  return {
    reader,
    commits: commits.map((oid, index) => {
      const commit = readCommit(contents[index]?.content ?? Buffer.alloc(0));
      if (commit === undefined) throw new RepositoryFault('it holds a commit that cannot be read');
      return { oid, ...commit };
    }),
    trees: fresh.filter((oid) => found.names.get(oid) === 'tree'),
  };
};

/** Many at once, since each answer waits for a process. */
const AT_ONCE = 1_000;
export const inParts = async <T, R>(all: readonly T[], act: (each: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE)
    results.push(...(await Promise.all(all.slice(at, at + AT_ONCE).map(act))));
  return results;
};

const readLoose = async ({ written, files }: RepositoryChange, view: OwnGit, found: Found): Promise<void> => {
  const folders = new Map<string, string>();
  let read = 0;
  for (const { inside, kind } of files) {
    const name = LOOSE.exec(inside);
    if (name === null || kind !== 'file') continue;
    const [, first = '', rest = ''] = name;
    const file = path.join(written, inside);
    const object = await looseObject(file, first + rest);
    if (object !== undefined && object.type !== 'blob') {
      found.names.set(first + rest, object.type);
      found.read.set(first + rest, object);
    }
    folders.set(path.dirname(file), first);
    read += 1;
    if (read % SANDBOX_LIMITS.listedAtOnce === 0) await setImmediate();
  }
  let number = 0;
  for (const [folder, first] of folders) {
    const shown = path.join(view.folder, 'objects', first);
    // Two stores of one repository (of a submodule) may have folders of the same name.
    if (!existsSync(shown)) symlinkSync(folder, shown);
    else view.addStore(path.dirname(folder), number++);
  }
};

/** Undefined for a blob that is large; throws for what is not what its name says. */
const looseObject = async (file: string, oid: string): Promise<GitObject | undefined> => {
  const packed = readSmallBytes(file, SANDBOX_LIMITS.gitObjectBytes);
  const content = packed === undefined ? undefined : unpacked(packed);
  if (content === undefined) {
    if ((await digestOfLarge(file, oid)) !== oid) throw new RepositoryFault(WRONG);
    return undefined;
  }
  if (hashFor(oid).update(content).digest('hex') !== oid) throw new RepositoryFault(WRONG);
  const zero = content.indexOf(0);
  const [type = ''] = content.toString('latin1', 0, zero).split(' ');
  return { type, content: content.subarray(zero + 1) };
};

const hashFor = (oid: string) => createHash(oid.length === 64 ? 'sha256' : 'sha1');

/** Undefined for what is too large. */
const unpacked = (packed: Buffer): Buffer | undefined => {
  try {
    return inflateSync(packed, { maxOutputLength: SANDBOX_LIMITS.gitObjectBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw new RepositoryFault('it holds an object of git that cannot be read');
  }
};

const digestOfLarge = async (file: string, oid: string): Promise<string> => {
  const hash = hashFor(oid);
  let begin: Buffer = Buffer.alloc(0);
  const inflate = createInflate();
  inflate.on('data', (chunk: Buffer) => {
    if (begin.length < TYPE_BYTES) begin = Buffer.concat([begin, chunk.subarray(0, TYPE_BYTES)]);
    hash.update(chunk);
  });
  await pipeline(createReadStream(file), inflate, async (source) => {
    for await (const _ of source);
  }).catch(() => {
    throw new RepositoryFault('it holds an object of git that cannot be read');
  });
  if (!begin.toString('latin1').startsWith('blob '))
    throw new RepositoryFault('it holds a commit or a tree that is too large to be read');
  return hash.digest('hex');
};
const TYPE_BYTES = 8;

const readPacks = async ({ written, real, files }: RepositoryChange, view: OwnGit, found: Found): Promise<void> => {
  const packs = new Set<string>();
  for (const { inside, kind } of files) {
    const pack = PACK.exec(inside);
    if (pack !== null && kind === 'file') packs.add(`${pack[1]}objects/pack/${pack[2]}`);
  }
  let number = 0;
  for (const pack of packs) {
    const parts = ['pack', 'idx'].map((kind) =>
      [written, real].map((folder) => path.join(folder, `${pack}.${kind}`)).find((file) => existsSync(file)),
    );
    // Git reads no pack without the other part.
    if (parts.includes(undefined)) continue;
    number += 1;
    const shown = path.join(view.folder, `objects/pack/pack-${number}`);
    symlinkSync(parts[0] ?? '', `${shown}.pack`);
    symlinkSync(parts[1] ?? '', `${shown}.idx`);
    const { code, output } = await view.run(['verify-pack', '-v', `${shown}.idx`]);
    if (code !== 0) throw new RepositoryFault('it holds a pack of objects that is not what it says');
    for (const line of output.toString('latin1').split('\n')) {
      const [, oid, type] = /^([0-9a-f]{40,64}) (commit|tree|tag) /.exec(line) ?? [];
      if (oid !== undefined && type !== undefined) found.names.set(oid, type);
    }
  }
};
