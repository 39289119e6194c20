/**
 * What a command wrote under names that are no UTF-8. It is taken out of the layer before anything else looks there, so
 * that nothing that bears such a name is judged as something else, or moved unseen within a folder; it is put by, and told.
 */
import { chmodSync, lstatSync, renameSync } from 'node:fs';
import path from 'node:path';
import type { WithheldChange } from '../core/ports.ts';
import { entriesIn, type OddEntry, oddIn, pathOfBytes } from './folder-entries.ts';
import type { KeptVersions } from './kept-versions.ts';
import { asideFolder, type Layer, writtenFolder } from './layer.ts';

/** `taken`: where it is now; absent where it was removed, or could not be taken out. */
export type OddChange = { path: string; taken?: string };

export const ODD_NAME = 'its name is not UTF-8';

/** Of one folder of the layer, which may be written to. */
export const takeOdd = (layer: Layer, way: readonly string[], odd: readonly OddEntry[]): OddChange[] =>
  odd.map(({ bytes, shown }) => {
    const written = pathOfBytes(path.join(writtenFolder(layer), ...way), bytes);
    const shownPath = [...way, shown].join('/');
    const stat = lstatSync(written);
    if (!stat.isFile() && !stat.isDirectory() && !stat.isSymbolicLink()) return { path: shownPath };
    const taken = path.join(asideFolder(layer), `odd-${stat.dev}-${stat.ino}`);
    // A folder takes another parent only while it may be written to.
    if (stat.isDirectory()) chmodSync(written, stat.mode | 0o700);
    renameSync(written, taken);
    return { path: shownPath, taken };
  });

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
  for (const { path: shown, taken } of odd) {
    const kept_at = taken === undefined ? undefined : await kept.keep(taken, shown);
    told.push({ path: shown, cause: 'not_written', reason: ODD_NAME, ...(kept_at === undefined ? {} : { kept_at }) });
  }
  return told;
};
