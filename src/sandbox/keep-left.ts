/** What a command wrote and nobody may put in place any more: its layer is removed, so that it is kept for the person. */
import path from 'node:path';
import { presentSignature } from './bring-in.ts';
import { entriesIn } from './folder-entries.ts';
import type { KeptVersions } from './kept-versions.ts';
import { type Layer, writtenFolder } from './layer.ts';

const LEFT = 'left-out';

/** The folder where it is kept then; undefined where there was nothing, or no room for it. `isHandled`: it needs no keeping. */
export const keepLeft = async (
  layer: Layer,
  kept: KeptVersions,
  isHandled: (key: string, signature: string) => boolean,
): Promise<string | undefined> => {
  let folder: string | undefined;
  const visit = async (way: readonly string[]): Promise<void> => {
    const from = path.join(writtenFolder(layer), ...way);
    for (const entry of entriesIn(from)) {
      const below = [...way, entry.name];
      const key = below.join('/');
      const file = path.join(from, entry.name);
      if (entry.isDirectory()) await visit(below);
      else if ((entry.isFile() || entry.isSymbolicLink()) && !isHandled(key, presentSignature(file))) {
        const kept_at = await kept.keep(file, `${LEFT}/${key}`);
        folder ??= kept_at?.slice(0, -key.length - 1);
      }
    }
  };
  await visit([]);
  return folder;
};
