/** What a yes to a server is bound to: its definition, and the content of the files of the workspace that it is started from. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  consentDigest,
  digestOf,
  type Environment,
  type ServerDefinition,
  withEnvironment,
} from '../../mcp/server-definition.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { collectStartedFiles, type StartedFiles } from './server-files/collect.ts';
import { realPath, statOf } from './server-files/lookup.ts';
import { isManifest, startedFields } from './server-files/started-part.ts';

export { isSameStart } from './server-files/started-part.ts';
export type { StartedFiles };

export type ServerPlace = {
  /** Where servers are started first, then what else may be written to. */
  roots: readonly string[];
  environment: Environment;
};

const NONE: StartedFiles = { files: [], missing: [], isComplete: true };

export const filesOfServer = (given: ServerDefinition, { roots, environment }: ServerPlace): StartedFiles => {
  const { server } = withEnvironment(given, environment);
  if (server.kind !== 'process') return NONE;
  const PATH = server.env['PATH'] ?? environment['PATH'] ?? '';
  const programs = PATH.split(path.delimiter).filter((folder) => folder !== '');
  return collectStartedFiles(server, { roots: roots.map(realPath), programs });
};

/** The files of the workspace that a server is started from, each with a digest of its content. */
export const startContents = (server: ServerDefinition, place: ServerPlace): ReadonlyMap<string, string> => {
  const { files, missing } = filesOfServer(server, place);
  const contents = [...files.map((file) => [file, contentDigest(file)]), ...missing.map((file) => [file, 'missing'])];
  return new Map((contents as [string, string][]).sort(([one], [other]) => (one < other ? -1 : 1)));
};

/** All that would be started, and what lies in the workspace of it. Without such files it is the definition's own digest. */
export const startDigest = (server: ServerDefinition, place: ServerPlace): string => {
  const contents = startContents(server, place);
  return contents.size === 0 ? consentDigest(server) : digestOf([consentDigest(server), ...contents]);
};

/** Whether a server that is named by relative paths runs whatever the folder holds that halter was started in. */
export const runsFolder = (server: ServerDefinition, place: ServerPlace): boolean => {
  const [root = '/'] = place.roots;
  const elsewhere = filesOfServer(server, { ...place, roots: [`${root}/\0`, ...place.roots] });
  const { files, missing } = filesOfServer(server, place);
  return files.length > elsewhere.files.length || missing.length > elsewhere.missing.length;
};

const contentDigest = (file: string): string => {
  try {
    const stat = statOf(file);
    if (stat === undefined || stat.size > AGENT_LIMITS.mcpStartedFileBytes)
      return `size ${stat?.size ?? 0} ${stat?.mtimeMs ?? 0}`;
    const bytes = readFileSync(file);
    const started = isManifest(file) ? startedFields(bytes.toString('utf8')) : null;
    return started === null ? createHash('sha256').update(bytes).digest('hex') : digestOf(started);
  } catch {
    return 'unreadable';
  }
};
