/**
 * Layers of a halter that was killed. What its command had written counts nowhere and is not thrown away: it is kept with
 * the other versions that could not be put in place, under a name that says which layer it was.
 */

import fs from 'node:fs';
import path from 'node:path';
import { isAlive } from './alive.ts';
import { readEntries } from './folder-entries.ts';
import { makeKeptFolder } from './kept-versions.ts';
import { SANDBOX_LIMITS } from './limits.ts';

/** As `layerName` makes it, and nothing else: names come out of logs. */
const NAME = /^([0-9]+)-([0-9a-f-]{36})\/([0-9]+)$/;

/** Of a layer in `parent/PID-UUID/NUMBER`. */
export const layerName = (base: string): string => base.split(path.sep).slice(-2).join('/');

/** A background command's own: what it wrote was brought over while it ran. */
const FOLLOWED = 'followed';
export const markFollowed = (base: string): void => fs.writeFileSync(path.join(base, FOLLOWED), '');

/** Keeps what the layers in the folder of a dead run hold. */
export const keepLeftLayers = (run: string, kept: string): void => {
  for (const name of fs.readdirSync(run)) {
    const base = path.join(run, name);
    if (NAME.test(layerName(base))) keepLayer(base, kept);
  }
};

/**
 * Where what was written into a layer is kept, or that it lies nowhere: there was nothing, it was too much, or it was
 * removed with time. `parents`: folders that layers are made in.
 */
export const leftLayer = (name: string, parents: readonly string[], kept: string): string | undefined => {
  const match = NAME.exec(name);
  if (match === null || isAlive(Number(match[1]))) return undefined;
  const place = placeOf(name, kept);
  if (fs.existsSync(place)) return place;
  for (const parent of parents) {
    const found = keepLayer(path.join(parent, name), kept);
    if (found !== undefined) return found;
  }
  return undefined;
};

const placeOf = (name: string, kept: string): string => {
  const [, , id = '', number] = NAME.exec(name) ?? [];
  return path.join(kept, `interrupted-${id.slice(0, SHORT_ID)}-${number}`);
};
/** Of the id of a run: enough to tell it from others. */
const SHORT_ID = 8;

const keepLayer = (base: string, kept: string): string | undefined => {
  const written = path.join(base, 'u');
  try {
    if (fs.existsSync(path.join(base, FOLLOWED)) || !isWorthKeeping(written)) return undefined;
    const place = placeOf(layerName(base), kept);
    makeKeptFolder(kept);
    moveFolder(written, place);
    const now = new Date();
    fs.utimesSync(place, now, now);
    return place;
  } catch {
    return undefined;
  }
};

/** Takes out what is no content, such as the marks of removed files. */
const isWorthKeeping = (written: string): boolean => {
  let [entries, bytes] = [0, 0];
  let isFile = false;
  const isSmall = (folder: string): boolean => {
    fs.chmodSync(folder, 0o700);
    const { entries: named, odd } = readEntries(folder);
    isFile ||= odd.length > 0;
    for (const { name } of named) {
      const file = path.join(folder, name);
      const stat = fs.lstatSync(file);
      const isContent = stat.isFile() || stat.isSymbolicLink();
      entries += 1;
      bytes += stat.size;
      if (entries > SANDBOX_LIMITS.leftEntries || bytes > SANDBOX_LIMITS.leftBytes) return false;
      if (stat.isDirectory() ? !isSmall(file) : false) return false;
      if (!stat.isDirectory() && !isContent) fs.unlinkSync(file);
      isFile ||= isContent;
    }
    return true;
  };
  return isSmall(written) && isFile;
};

const moveFolder = (from: string, to: string): void => {
  try {
    fs.renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    fs.cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    fs.rmSync(from, { recursive: true, force: true });
  }
};
