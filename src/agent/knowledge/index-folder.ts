/** The folder that the index of a workspace lies in: where the agent keeps the rest of its things. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GraphRagMode } from '../../core/retrieval-settings.ts';
import { indexFile } from '../../search/index-file.ts';

export type IndexPlace = {
  root: string;
  graphRag: GraphRagMode;
  /** Of the program halter, where `halter index` makes one. */
  program: string;
  /** Where the agent keeps its data; undefined: it keeps nothing. */
  own: string | undefined;
};

/** `remove`: what was made for an agent that keeps nothing goes with it. */
export const openIndexFolder = async ({
  root,
  graphRag,
  program,
  own,
}: IndexPlace): Promise<{ folder: string; remove?(): Promise<void> }> => {
  const has = (folder: string): boolean => existsSync(indexFile(folder, root));
  if (own !== undefined && (graphRag === 'on' || has(own))) return { folder: own };
  // An index that was made is used; only `on` makes one.
  if (graphRag !== 'on' || has(program)) return { folder: program };
  const folder = await mkdtemp(join(tmpdir(), 'halter-index-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
};
