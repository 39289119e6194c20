/**
 * Files of a group that the person is in, but that is not their own one: a checkout that several people share. A user
 * namespace knows one group alone, so the kernel makes no copy of such files and a layer over them cannot be written.
 */
import { lstatSync, opendirSync } from 'node:fs';
import path from 'node:path';
import { SANDBOX_LIMITS } from './limits.ts';
import { unlessShort } from './shortage.ts';

/** `groups`: all that they are in. */
export type Person = { uid: number; gid: number; groups: readonly number[] };
const itself = (): Person => ({
  uid: process.getuid?.() ?? 0,
  gid: process.getgid?.() ?? 0,
  groups: process.getgroups?.() ?? [],
});

/** The first such file, looked for in the folder and its folders; undefined where there is none. Root may write any file. */
export const ofOtherGroup = (root: string, { uid, gid, groups }: Person = itself()): string | undefined => {
  const others = groups.filter((group) => group !== gid);
  if (uid === 0 || others.length === 0) return undefined;
  const isOthers = (file: string): boolean => others.includes(groupOf(file) ?? gid);
  let left: number = SANDBOX_LIMITS.groupsLookedAt;
  const folders = [root];
  for (let folder = folders.shift(); folder !== undefined && left > 0; folder = folders.shift()) {
    if (isOthers(folder)) return folder;
    for (const name of namesIn(folder, left)) {
      left -= 1;
      const file = path.join(folder, name.name);
      if (isOthers(file)) return file;
      if (name.isDirectory && folders.length < SANDBOX_LIMITS.groupsLookedAt) folders.push(file);
    }
  }
  return undefined;
};

/** Why a folder can have no layer, as far as its groups are the reason; behind the words that say so. */
export const groupReason = (root: string): string => {
  const file = ofOtherGroup(root);
  return file === undefined
    ? ''
    : ` (${file} belongs to a group that is not your own one; \`newgrp\` begins a shell in it)`;
};

const groupOf = (file: string): number | undefined => {
  try {
    return lstatSync(file).gid;
  } catch (error) {
    return unlessShort(error, undefined);
  }
};

const namesIn = (folder: string, most: number): { name: string; isDirectory: boolean }[] => {
  try {
    const found: { name: string; isDirectory: boolean }[] = [];
    const opened = opendirSync(folder);
    try {
      for (let entry = opened.readSync(); entry !== null && found.length < most; entry = opened.readSync())
        found.push({ name: entry.name, isDirectory: entry.isDirectory() });
    } finally {
      opened.closeSync();
    }
    return found;
  } catch (error) {
    return unlessShort(error, []);
  }
};
