/** What a command wrote into a layer, as a tree. */
import { type BigIntStats, chmodSync, readlinkSync, type Stats } from 'node:fs';
import path from 'node:path';
import { readSmallFile } from './anchored.ts';
import { readEntries, readNames } from './folder-entries.ts';
import type { Change } from './git-folder.ts';
import { type Layer, type LayerPrograms, listSeen, writtenFolder } from './layer.ts';
import { SANDBOX_LIMITS } from './limits.ts';
import { isTooDeep, type OddChange, takeDeep, takeOdd } from './odd-entries.ts';
import { statAt as statOf } from './place.ts';

export type Changed = {
  name: string;
  kind: Change['kind'];
  /** A folder that was there before: what is not named here stays as it is. */
  isMerged: boolean;
  /** Nothing was taken out of it or of what lies below. */
  isWhole: boolean;
  children: Changed[];
};

/** `odd`: what has no name in text. It is no longer in the layer. */
export const collectChanges = async (
  programs: LayerPrograms,
  layer: Layer,
): Promise<{ changes: Changed; odd: OddChange[] }> => {
  const top: Changed = { name: '', kind: 'folder', isMerged: true, isWhole: true, children: [] };
  const merged: [string, Changed][] = [];
  const odd: OddChange[] = [];
  collect(layer, [], top, { merged, odd });
  await addHidden(programs, layer, merged);
  return { changes: top, odd };
};

type Found = { merged: [string, Changed][]; odd: OddChange[] };

const collect = (layer: Layer, way: readonly string[], folder: Changed, found: Found): void => {
  const written = path.join(writtenFolder(layer), ...way);
  const mode = openUp(written);
  const { entries, odd } = readEntries(written);
  found.odd.push(...takeOdd(layer, way, odd));
  for (const entry of entries) {
    const here = [...way, entry.name];
    if (isTooDeep(layer, here)) {
      found.odd.push(takeDeep(layer, way, entry.name));
      continue;
    }
    const changed: Changed = {
      name: entry.name,
      kind: kindOf(entry, written),
      isMerged: false,
      isWhole: true,
      children: [],
    };
    folder.children.push(changed);
    if (changed.kind === 'file') takeRights(path.join(written, entry.name), path.join(layer.root, ...here));
    if (changed.kind !== 'folder') continue;
    changed.isMerged = folder.isMerged && statOf(path.join(layer.root, ...here))?.isDirectory() === true;
    if (changed.isMerged) found.merged.push([here.join('/'), changed]);
    collect(layer, here, changed, found);
  }
  if (mode !== undefined) chmodSync(written, mode);
};

/** Set-user-ID and set-group-ID: whoever starts the program has the rights of its owner. */
const OTHERS_RIGHTS = 0o6000;
/** Calls that make a file with them are not refused, so they are taken from it, unless it had them before. */
const takeRights = (written: string, real: string): void => {
  const mode = statOf(written)?.mode ?? 0;
  const given = mode & OTHERS_RIGHTS & ~(statOf(real)?.mode ?? 0);
  if (given !== 0) chmodSync(written, mode & 0o7777 & ~given);
};

/** A command may leave a folder that its owner cannot read or write to: it is opened meanwhile. The mode that it had, if so. */
const openUp = (written: string): number | undefined => {
  const mode = statOf(written)?.mode ?? 0o700;
  if ((mode & 0o700) === 0o700) return undefined;
  chmodSync(written, mode | 0o700);
  return mode;
};

/** A character device of number 0 stands for what was removed. */
const kindOf = (
  entry: { name: string } & Pick<Stats, 'isFile' | 'isDirectory' | 'isSymbolicLink' | 'isCharacterDevice'>,
  folder: string,
): Changed['kind'] => {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  if (entry.isSymbolicLink()) return 'link';
  const isGone = entry.isCharacterDevice() && statOf(path.join(folder, entry.name))?.rdev === 0;
  return isGone ? 'removed' : 'other';
};

/** What a folder held that was removed and made again. */
const addHidden = async (
  programs: LayerPrograms,
  layer: Layer,
  merged: readonly [string, Changed][],
): Promise<void> => {
  if (merged.length === 0) return;
  const seen = await listSeen(
    programs,
    layer,
    merged.map(([way]) => way),
  );
  if (seen === undefined) return;
  for (const [way, folder] of merged) {
    const names = new Set(folder.children.map(({ name }) => name));
    for (const name of readNames(path.join(layer.root, way))) {
      if (names.has(name) || seen.get(way)?.has(name)) continue;
      folder.children.push({ name, kind: 'removed', isMerged: false, isWhole: true, children: [] });
    }
  }
};

const textAt = (file: string, stat: Stats | undefined): string | undefined => {
  if (stat?.isSymbolicLink()) return readlinkSync(file);
  return stat?.isFile() ? readSmallFile(file, SANDBOX_LIMITS.configBytes) : undefined;
};

/** A change for the judge: read only when it asks. */
export const changeAt = (written: string, real: string, kind: Change['kind']): Change => {
  const before = statOf(real);
  return {
    kind,
    wasThere: before !== undefined,
    text: () => (kind === 'removed' ? undefined : textAt(written, statOf(written))),
    before: () => textAt(real, before),
    isOtherMode: () => statOf(written)?.mode !== before?.mode,
  };
};

export const sameTimes = (stat: BigIntStats): [number, number] => [
  Number(stat.atimeNs) / 1e9,
  Number(stat.mtimeNs) / 1e9,
];
