/** The person's own list of servers: one is put in or taken out, wherever that is asked for. */
import type { JsonObject, JsonValue } from '../../core/json.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { isServerName, readServers, type ServerDefinition } from '../../mcp/server-definition.ts';
import { createMcpFile } from '../../storage/mcp-files.ts';
import { createLoginFile } from '../../storage/mcp-logins.ts';

/** As a file would say it; a failure names what makes no sense. */
export const readOwnServer = (name: string, entry: JsonObject): Outcome<ServerDefinition> => {
  if (!isServerName(name))
    return failure('validation_failed', 'A name is made of letters, digits, - and single _ (at most 32).');
  const { servers, problems } = readServers({ mcpServers: { [name]: entry } });
  const [server] = servers;
  return server === undefined ? failure('validation_failed', problems[0] ?? 'It is no server.') : succeed(server);
};

/** In the place of one of that name. */
export const putOwnServer = async (
  config: string,
  name: string,
  entry: JsonObject,
): Promise<Outcome<ServerDefinition>> => {
  const server = readOwnServer(name, entry);
  if (!server.ok) return server;
  const changed = await createMcpFile(config).change((content) => ({
    ...content,
    mcpServers: { ...objectIn(content['mcpServers']), [name]: entry },
  }));
  return changed.ok ? server : changed;
};

/** With its login, which is of no use any more. */
export const removeOwnServer = async (config: string, name: string): Promise<Outcome<void>> => {
  const file = createMcpFile(config);
  let isThere = false;
  const changed = await file.change((content) => {
    const { [name]: removed, ...others } = objectIn(content['mcpServers']);
    isThere = removed !== undefined;
    return { ...content, mcpServers: others };
  });
  if (!changed.ok) return changed;
  if (!isThere) return failure('not_found', `There is no server ${name} in ${file.path}.`);
  const logins = createLoginFile(config);
  const kept = await logins.read(name);
  if (kept.ok && kept.value !== undefined) await logins.write(name, undefined);
  return succeed(undefined);
};

const objectIn = (value: JsonValue | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
