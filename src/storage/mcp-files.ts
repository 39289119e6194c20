/**
 * What halter keeps about MCP servers: the person's own list in the form that other clients use, the servers of folders
 * that the person let start, and what tools were when the person said yes to them.
 */

import { join } from 'node:path';
import type { JsonObject, JsonValue } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { Workspace } from '../core/ports.ts';
import { writeFileAtomically } from './atomic-file.ts';
import { waitForLock } from './file-lock.ts';
import { STORAGE_LIMITS } from './limits.ts';
import { readOwnFile } from './own-file.ts';

/** The file of a folder, under the name that other clients look for. */
export const FOLDER_FILE = '.mcp.json';

export type JsonFile = {
  readonly path: string;
  /** An empty object where there is none. */
  read(): Promise<Outcome<JsonObject>>;
  /** Under a lock; a file that cannot be read is left as it is. */
  change(changed: (content: JsonObject) => JsonObject): Promise<Outcome<void>>;
};

const parse = (bytes: Uint8Array, path: string): Outcome<JsonObject> => {
  try {
    const value: JsonValue = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return succeed(value);
    return failure('parse_error', `${path} holds no JSON object`);
  } catch {
    return failure('parse_error', `${path} is not JSON`);
  }
};

export const jsonFile = (folder: string, name: string, consequence: string): JsonFile => {
  const path = join(folder, name);
  const read = async (): Promise<Outcome<JsonObject>> => {
    const bytes = await readOwnFile(path, STORAGE_LIMITS.mcpFileBytes, consequence, { grants: true });
    if (!bytes.ok) return bytes;
    return bytes.value === undefined ? succeed({}) : parse(bytes.value, path);
  };
  return {
    path,
    read,
    async change(changed) {
      const lock = join(folder, `${name.replace(/\.json$/, '')}.lock`);
      const held = await waitForLock(lock, STORAGE_LIMITS.lockWaitMs, STORAGE_LIMITS.lockRetryMs);
      if (!held.ok) return held;
      try {
        const content = await read();
        if (!content.ok) return content;
        return await writeFileAtomically(path, `${JSON.stringify(changed(content.value), null, 2)}\n`);
      } finally {
        held.value.release();
      }
    },
  };
};

/** The person's own servers. */
export const createMcpFile = (configFolder: string): JsonFile =>
  jsonFile(configFolder, 'mcp.json', 'no server of it is used');

/** Undefined where the folder has none. */
export const readFolderServers = async (
  workspace: Pick<Workspace, 'stat' | 'readFile'>,
): Promise<Outcome<JsonObject> | undefined> => {
  const there = await workspace.stat(FOLDER_FILE);
  if (!there.ok && there.error.error_type === 'not_found') return undefined;
  const read = await workspace.readFile(FOLDER_FILE, { maxBytes: STORAGE_LIMITS.mcpFileBytes });
  return read.ok ? parse(read.value.bytes, FOLDER_FILE) : read;
};

/** A copy with the entries of the file and no other: not with `constructor` and the like, which a server may be called. */
export const objectIn = (value: JsonValue | undefined): JsonObject =>
  Object.assign(
    Object.create(null) as JsonObject,
    typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {},
  );

/** Which servers of which folder may start, each by the digest of all that would be started. */
export type ConsentFile = {
  has(workspace: string, server: string, digest: string): Promise<boolean>;
  /** Whether anything was said of it there. */
  knows(workspace: string, server: string): Promise<boolean>;
  add(workspace: string, server: string, digest: string): Promise<Outcome<void>>;
};

export const createConsentFile = (configFolder: string): ConsentFile => {
  const file = jsonFile(configFolder, 'mcp-consents.json', 'no server of a folder is started by it');
  return {
    async has(workspace, server, digest) {
      const read = await file.read();
      return read.ok && objectIn(objectIn(read.value['folders'])[workspace])[server] === digest;
    },
    async knows(workspace, server) {
      const read = await file.read();
      // A file that cannot be read may have said no.
      return !read.ok || objectIn(objectIn(read.value['folders'])[workspace])[server] !== undefined;
    },
    add: (workspace, server, digest) =>
      file.change((content) => {
        const folders = objectIn(content['folders']);
        const servers = { ...objectIn(folders[workspace]), [server]: digest };
        return { ...content, version: 1, folders: { ...folders, [workspace]: servers } };
      }),
  };
};

/** What tools were when the person said yes to them for good: the difference is shown when they are something else. */
export type ToolRecordFile = {
  read(): Promise<ReadonlyMap<string, { identity: string; text: string }>>;
  keep(tool: string, record: { identity: string; text: string }): Promise<Outcome<void>>;
};

export const createToolRecordFile = (dataFolder: string): ToolRecordFile => {
  const file = jsonFile(dataFolder, 'mcp-tools.json', 'what changed in a tool cannot be shown');
  return {
    async read() {
      const content = await file.read();
      const records = new Map<string, { identity: string; text: string }>();
      for (const [name, entry] of Object.entries(content.ok ? objectIn(content.value['tools']) : {})) {
        const { identity, text } = objectIn(entry);
        if (typeof identity === 'string' && typeof text === 'string') records.set(name, { identity, text });
      }
      return records;
    },
    keep: (tool, record) =>
      file.change((content) => {
        const others = Object.entries(objectIn(content['tools'])).filter(([name]) => name !== tool);
        // The oldest go first.
        const kept = [...others, [tool, { ...record }] as const].slice(-LIMITS.mcpEntries);
        return { ...content, version: 1, tools: Object.fromEntries(kept) };
      }),
  };
};
