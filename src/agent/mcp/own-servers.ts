/**
 * The person's own servers. The list is theirs, but what a server runs may lie in the folder that is worked in: then the yes
 * is bound to the content of these files, as with servers of the folder.
 */
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { readServers, type ServerDefinition, shownServer } from '../../mcp/server-definition.ts';
import { createConsentFile, createMcpFile } from '../../storage/mcp-files.ts';
import type { FolderServers } from './folder.ts';
import type { McpOptions } from './mcp-options.ts';
import { runsFolder, type ServerPlace, startContents, startDigest } from './server-files.ts';

export type OwnOptions = {
  place: ServerPlace;
  config: string;
  consent: McpOptions['consent'];
  warn(message: string): void;
};

/** No name of a server holds a colon, so a server of the folder has another entry. */
const entryOf = (name: string): string => `own:${name}`;

export const ownServers = async (
  servers: readonly ServerDefinition[],
  { place, config, consent, warn }: OwnOptions,
): Promise<FolderServers> => {
  const found: FolderServers = { wanted: [], refused: [] };
  const consents = createConsentFile(config);
  const [root = '/'] = place.roots;
  for (const server of servers) {
    const digest = startDigest(server, place);
    if (server.disabled === true || startContents(server, place).size === 0) {
      found.wanted.push({ server, digest });
      continue;
    }
    const entry = entryOf(server.name);
    const isKnown = await consents.has(root, entry, digest);
    // Who wrote down a whole path means that file, until it changes.
    const isFirst = !isKnown && !runsFolder(server, place) && !(await consents.knows(root, entry));
    const shown = shownServer(server);
    const isWanted = isKnown || isFirst || (await consent?.({ name: server.name, shown })) === true;
    if (isWanted && !isKnown) await consents.add(root, entry, digest);
    if (isWanted) found.wanted.push({ server, digest });
    else {
      const detail = `not started: it runs files of this folder, which you were not asked about yet, or which changed since; \`halter mcp allow ${server.name}\` lets it start`;
      found.refused.push({
        name: server.name,
        origin: 'own',
        shown,
        tools: 0,
        tool_names: [],
        by_address: false,
        consent: digest,
        state: 'not connected',
        detail,
      });
      warn(`The MCP server "${server.name}" of your list is ${detail}`);
    }
  }
  return found;
};

/** The person says yes to it as it is now in this folder. */
export const allowOwnServer = async (
  { place, config }: Pick<OwnOptions, 'place' | 'config'>,
  name: string,
  digest?: string,
): Promise<Outcome<ServerDefinition>> => {
  const own = await createMcpFile(config).read();
  if (!own.ok) return own;
  const server =
    own.value['mcpServers'] === undefined
      ? undefined
      : readServers(own.value).servers.find((each) => each.name === name);
  if (server === undefined) return failure('not_found', `There is no MCP server "${name}".`);
  const now = startDigest(server, place);
  if (digest !== undefined && now !== digest)
    return failure('validation_failed', `What "${name}" is started from is not what it was. Look at it again.`);
  const kept = await createConsentFile(config).add(place.roots[0] ?? '/', entryOf(name), now);
  return kept.ok ? succeed(server) : kept;
};
