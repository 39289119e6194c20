/** What a folder's own `.halter/config.json` adds, where the person trusts the folder. */
import { createWorkspace } from '../io/workspace.ts';
import type { Config } from '../storage/config-file.ts';
import { readProjectConfig } from '../storage/project-config.ts';
import { createTrustFile } from '../storage/trust-file.ts';
import type { Io } from './io.ts';
import { pathsOf } from './settings.ts';

/** Never fails: a folder that cannot be opened is reported by whoever opens it for work. */
export const readProjectSettings = async (folder: string, io: Io): Promise<Config> => {
  const workspace = await createWorkspace({ root: folder });
  if (!workspace.ok) return {};
  const trust = await createTrustFile({ folder: pathsOf(io).config }).isTrusted(workspace.value.root);
  const project = await readProjectConfig(workspace.value, trust.trusted);
  for (const warning of [trust.warning, ...project.warnings]) if (warning) io.stderr.write(`halter: ${warning}\n`);
  return project.config;
};
