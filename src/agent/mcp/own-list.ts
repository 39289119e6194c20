/** The person's own list of servers: one is put in or taken out, wherever that is asked for. */

import type { JsonObject } from '../../core/json.ts';
import { type Failure, failure, type Outcome, succeed } from '../../core/outcome.ts';
import { quotedName } from '../../core/quoted-name.ts';
import { didYouMean } from '../../core/tool/nearest-names.ts';
import { isServerName, readServers, type ServerDefinition } from '../../mcp/server-definition.ts';
import { createMcpFile, objectIn } from '../../storage/mcp-files.ts';
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

/** `among`: those that can be meant; `place`: where they are listed. */
export const noSuchServer = (name: string, among: readonly string[], place: string): Failure => ({
  error_type: 'not_found',
  message: `There is no server ${quotedName(name)} in ${place}.${didYouMean(name, among)} \`halter mcp list\` shows what there is.`,
});

/** With its login, which is of no use any more. */
export const removeOwnServer = async (config: string, name: string): Promise<Outcome<void>> => {
  const file = createMcpFile(config);
  let isThere = false;
  let names: string[] = [];
  const changed = await file.change((content) => {
    const { [name]: removed, ...others } = objectIn(content['mcpServers']);
    isThere = removed !== undefined;
    names = Object.keys(others);
    return { ...content, mcpServers: others };
  });
  if (!changed.ok) return changed;
  if (!isThere) return { ok: false, error: noSuchServer(name, names, file.path) };
  const logins = createLoginFile(config);
  const kept = await logins.read(name);
  if (kept.ok && kept.value !== undefined) await logins.write(name, undefined);
  return succeed(undefined);
};
