/** The index of the folder that a command is called in. No model and no tool is opened for it. */
import { resolve } from 'node:path';
import { type Outcome, succeed } from '../core/outcome.ts';
import { openRetrieval, type RetrievalService } from '../runtime/retrieval/open-retrieval.ts';
import { createWorkspace } from '../runtime/workspace.ts';
import type { FlagValues } from './flags.ts';
import type { Io } from './io.ts';
import { pathsOf } from './settings.ts';

export const openIndexHere = async (flags: FlagValues, io: Io): Promise<Outcome<RetrievalService>> => {
  const workspace = await createWorkspace({ root: resolve(io.cwd, flags.directory ?? '.') });
  if (!workspace.ok) return workspace;
  return succeed(openRetrieval({ dataFolder: pathsOf(io).data, workspace: workspace.value }));
};
