/** Follows which files of the workspace the servers of its .mcp.json, of the person and of the program are started from. */
import path from 'node:path';
import { isObject, type JsonValue } from '../../core/json.ts';
import { NO_STARTED_FILES, type StartedFiles } from '../../core/policy/started-files.ts';
import { readServers, type ServerDefinition } from '../../mcp/server-definition.ts';
import { FOLDER_FILE } from '../../storage/mcp-files.ts';
import type { McpOptions } from './mcp-options.ts';
import { realPath, statOf, textOf } from './server-files/lookup.ts';
import { isManifest } from './server-files/started-part.ts';
import { filesOfServer, isSameStart, type ServerPlace } from './server-files.ts';

export type StartedFilesOptions = ServerPlace & {
  choices: McpOptions | undefined;
  /** The person's folder of settings. */
  config: string | undefined;
};

/** Read at the first need, and again after one of the files has changed. */
export const followStartedFiles = (options: StartedFilesOptions): (() => StartedFiles) => {
  const { choices, config, roots } = options;
  const lists = [
    path.join(roots[0] ?? '/', FOLDER_FILE),
    ...(config === undefined ? [] : [path.join(config, 'mcp.json')]),
  ];
  const named = [...(choices?.definitions ?? []), ...(choices?.servers ? readServers(choices.servers).servers : [])];
  let last: { watched: readonly string[]; state: string; value: StartedFiles } | undefined;
  return () => {
    if (last !== undefined && stateOf(last.watched) === last.state) return last.value;
    const servers = [...named, ...lists.flatMap(serversIn)].filter(({ kind }) => kind === 'process');
    const found = servers.map((server) => ({ name: server.name, ...filesOfServer(server, options) }));
    const owners = new Map(
      found.flatMap(({ name, files, missing }) => [...files, ...missing].map((file) => [folded(file), name] as const)),
    );
    const files = found.flatMap((each) => each.files);
    const missing = found.flatMap((each) => each.missing);
    const watched = [...new Set([...lists, ...files, ...files.map((file) => path.dirname(file)), ...missing])];
    last = {
      watched,
      state: stateOf(watched),
      value: owners.size === 0 ? NO_STARTED_FILES : startedFiles(owners, files),
    };
    return last.value;
  };
};

const startedFiles = (owners: ReadonlyMap<string, string>, files: readonly string[]): StartedFiles => {
  const serverOf = (file: string): string | undefined => owners.get(folded(file)) ?? owners.get(folded(realPath(file)));
  return {
    serverOf,
    keptFromCommands: (file) => (isInstalled(file) ? undefined : serverOf(file)),
    paths: files.filter((file) => !isInstalled(file) && !isManifest(file)),
    isSameStart,
  };
};

const isInstalled = (file: string): boolean => file.includes('/node_modules/');
/** As a file system reads it that does not tell capital letters from small ones. */
const folded = (file: string): string => file.normalize('NFC').toLowerCase();

const serversIn = (file: string): ServerDefinition[] => {
  try {
    const value: JsonValue = JSON.parse(textOf(file));
    return isObject(value) ? readServers(value).servers : [];
  } catch {
    return [];
  }
};

const stateOf = (files: readonly string[]): string =>
  files
    .map((file) => {
      const stat = statOf(file);
      return stat === undefined ? '-' : `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
    })
    .join('\n');
