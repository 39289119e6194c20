/**
 * The servers of a folder's .mcp.json. Whoever wrote the folder wrote that file: it takes trust in the folder, and a yes to
 * exactly what would be started.
 */
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { Workspace } from '../../core/ports.ts';
import { readServers, type ServerDefinition, shownServer } from '../../mcp/server-definition.ts';
import { createConsentFile, FOLDER_FILE, readFolderServers } from '../../storage/mcp-files.ts';
import { createTrustFile } from '../../storage/trust-file.ts';
import type { ServerReport } from './report.ts';
import { type ServerPlace, startDigest } from './server-files.ts';

export type FolderOptions = {
  workspace: Workspace;
  place: ServerPlace;
  /** The person's folder of settings. */
  config: string;
  /** Whether a server may start that the person was never asked about. Absent: nobody is there. */
  consent: ((question: { name: string; shown: string }) => Promise<boolean>) | undefined;
  warn(message: string): void;
};
/** Each server that may start with the digest that was agreed to. */
export type FolderServers = { wanted: { server: ServerDefinition; digest: string }[]; refused: ServerReport[] };

export const folderServers = async ({
  workspace,
  place,
  config,
  consent,
  warn,
}: FolderOptions): Promise<FolderServers> => {
  const found: FolderServers = { wanted: [], refused: [] };
  const read = await readFolderServers(workspace);
  if (read === undefined) return found;
  if (!read.ok) {
    warn(`${FOLDER_FILE} is not used: ${read.error.message}`);
    return found;
  }
  const { servers, problems } = readServers(read.value);
  for (const text of problems) warn(`${FOLDER_FILE}: ${text}`);
  for (const { name } of servers.filter(({ trustsAnnotations }) => trustsAnnotations))
    warn(`${FOLDER_FILE}: "trust_annotations" of "${name}" does not count; it does in your own list (mcp.json)`);
  const trust = await createTrustFile({ folder: config }).isTrusted(workspace.root);
  if (!trust.trusted) {
    if (servers.length > 0)
      warn(`${FOLDER_FILE} is not used, because this folder is not trusted; \`halter trust\` changes that`);
    return found;
  }
  const consents = createConsentFile(config);
  // One that is turned off there is not asked about, so nothing may turn it on either.
  for (const server of servers.filter(({ disabled }) => disabled !== true)) {
    const { name } = server;
    const digest = startDigest(server, place);
    const shown = shownServer(server);
    const isKnown = await consents.has(workspace.root, name, digest);
    const isWanted = isKnown || (await consent?.({ name, shown })) === true;
    if (isWanted && !isKnown) await consents.add(workspace.root, name, digest);
    if (isWanted) found.wanted.push({ server, digest });
    else {
      const detail = `not started: you were not asked about it yet, or it or its files changed since; \`halter mcp allow ${name}\` lets it start`;
      found.refused.push({
        name,
        origin: 'folder',
        shown,
        tools: 0,
        tool_names: [],
        by_address: server.kind === 'http',
        consent: digest,
        state: 'not connected',
        detail,
      });
      warn(`${FOLDER_FILE} wants to start the MCP server "${name}": ${shown}\n  It is ${detail}`);
    }
  }
  return found;
};

/** The person saw what would be started and says yes to it: to just that, as the folder has it now, and for good. */
export const allowFolderServer = async (
  { workspace, place, config }: Pick<FolderOptions, 'workspace' | 'place' | 'config'>,
  name: string,
  digest: string,
): Promise<Outcome<ServerDefinition>> => {
  const read = await readFolderServers(workspace);
  if (read && !read.ok) return read;
  const server = read && readServers(read.value).servers.find((candidate) => candidate.name === name);
  const trust = await createTrustFile({ folder: config }).isTrusted(workspace.root);
  if (server === undefined || server.disabled === true || startDigest(server, place) !== digest)
    return failure('validation_failed', `${FOLDER_FILE} is not what it was. Look at it again.`);
  if (!trust.trusted) return failure('permission_denied', 'This folder is not trusted; `halter trust` changes that.');
  const kept = await createConsentFile(config).add(workspace.root, name, digest);
  return kept.ok ? succeed(server) : kept;
};
