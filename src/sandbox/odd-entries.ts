/**
 * What a command wrote under names that are no UTF-8, or deeper than paths can be. It is taken out of the layer before
 * anything else looks there, so that nothing of it is judged as something else, moved unseen within a folder, or costs all
 * other changes their place; it is put by, and told.
 */
import { chmodSync, lstatSync, renameSync } from 'node:fs';
import path from 'node:path';
import type { WithheldChange } from '../core/ports.ts';
import { entriesIn, type OddEntry, oddIn, pathOfBytes } from './folder-entries.ts';
import type { KeptVersions } from './kept-versions.ts';
import { asideFolder, type Layer, writtenFolder } from './layer.ts';
import { SANDBOX_LIMITS } from './limits.ts';

/** `taken`: where it is now; absent where it was removed. */
export type OddChange = { path: string; reason: string; taken?: string };

export const ODD_NAME = 'its name is not UTF-8';
const TOO_DEEP = 'its path is too long';

/** Whether a path in the layer, or in the folder under it, comes near to what the system takes. */
export const isTooDeep = (layer: Layer, way: readonly string[]): boolean =>
  Buffer.byteLength(way.join('/')) + Math.max(layer.root.length, writtenFolder(layer).length) >
  SANDBOX_LIMITS.pathBytes;

export const takeDeep = (layer: Layer, way: readonly string[], name: string): OddChange =>
  takeOut(layer, way, { bytes: Buffer.from(name), shown: name }, TOO_DEEP);

/** Of one folder of the layer, which may be written to. */
export const takeOdd = (layer: Layer, way: readonly string[], odd: readonly OddEntry[]): OddChange[] =>
  odd.map((entry) => takeOut(layer, way, entry, ODD_NAME));

const takeOut = (layer: Layer, way: readonly string[], { bytes, shown }: OddEntry, reason: string): OddChange => {
  const written = pathOfBytes(path.join(writtenFolder(layer), ...way), bytes);
  const told = { path: [...way, shown].join('/'), reason };
  const stat = lstatSync(written);
  if (!stat.isFile() && !stat.isDirectory() && !stat.isSymbolicLink()) return told;
  const taken = path.join(asideFolder(layer), `odd-${stat.dev}-${stat.ino}`);
  // A folder takes another parent only while it may be written to.
  if (stat.isDirectory()) chmodSync(written, stat.mode | 0o700);
  renameSync(written, taken);
  return { ...told, taken };
};

/** Of a whole layer, whose command has ended. */
export const takeAllOdd = (layer: Layer): OddChange[] => {
  const visit = (way: readonly string[]): OddChange[] => {
    const folder = path.join(writtenFolder(layer), ...way);
    const folders = entriesIn(folder).filter((entry) => entry.isDirectory());
    return [...takeOdd(layer, way, oddIn(folder)), ...folders.flatMap(({ name }) => visit([...way, name]))];
  };
  return visit([]);
};

export const keepOdd = async (odd: readonly OddChange[], kept: KeptVersions): Promise<WithheldChange[]> => {
  const told: WithheldChange[] = [];
  for (const { path: shown, reason, taken } of odd) {
    const name = reason === TOO_DEEP ? `deep/${path.basename(shown)}` : shown;
    const kept_at = taken === undefined ? undefined : await kept.keep(taken, name);
    told.push({ path: shown, cause: 'not_written', reason, ...(kept_at === undefined ? {} : { kept_at }) });
  }
  return told;
};
