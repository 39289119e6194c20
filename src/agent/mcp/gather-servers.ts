/** Which servers there are: those a program names, the person's own list, and those of the folder. */
import type { JsonObject, JsonValue } from '../../core/json.ts';
import { type Outcome, succeed } from '../../core/outcome.ts';
import type { Workspace } from '../../core/ports.ts';
import { thrownText } from '../../core/thrown-text.ts';
import { readServers, type ServerDefinition } from '../../mcp/server-definition.ts';
import { createMcpFile } from '../../storage/mcp-files.ts';
import type { HalterPaths } from '../../storage/paths.ts';
import { folderServers } from './folder.ts';
import type { McpOptions } from './mcp-options.ts';
import { ownServers } from './own-servers.ts';
import type { ServerReport } from './report.ts';
import type { ServerPlace } from './server-files.ts';

export type Origin = ServerReport['origin'];

export type GatherPorts = {
  choices: McpOptions;
  paths: HalterPaths | undefined;
  workspace: Workspace;
  place: ServerPlace;
  warn(message: string): void;
  /** `digest`: what was agreed to; absent: the server as it is now. */
  add(server: ServerDefinition, origin: Origin, digest?: string): Promise<void>;
};

/** Adds one after another; resolves with those of the folder that may not start. */
export const gatherServers = async (ports: GatherPorts): Promise<readonly ServerReport[]> => {
  const { choices, paths, place, workspace, warn } = ports;
  const addAll = async (servers: readonly ServerDefinition[], origin: Origin): Promise<void> => {
    for (const server of servers) await ports.add(server, origin);
  };
  await addAll(choices.definitions ?? [], 'program');
  if (choices.servers) {
    const { servers, problems } = readServers(choices.servers);
    for (const text of problems) warn(text);
    await addAll(servers, 'program');
  }
  if (!choices.files || paths === undefined) return [];
  const consent = choices.consent && clearYes(choices.consent, warn);
  const file = createMcpFile(paths.config);
  const own = await file.read();
  const refused: ServerReport[] = [];
  if (!own.ok) warn(own.error.message);
  else if (own.value['mcpServers'] !== undefined) {
    const { servers, problems } = readServers(own.value);
    for (const text of problems) warn(`${file.path}: ${text}`);
    const agreed = await ownServers(servers, { place, config: paths.config, consent, warn });
    refused.push(...agreed.refused);
    for (const { server, digest } of agreed.wanted) await ports.add(server, 'own', digest);
  }
  const ofFolder = await folderServers({ workspace, place, config: paths.config, consent, warn });
  for (const { server, digest } of ofFolder.wanted) await ports.add(server, 'folder', digest);
  return [...refused, ...ofFolder.refused];
};

/** Nothing but true is a yes, and a function that fails gave none. */
const clearYes =
  (ask: NonNullable<McpOptions['consent']>, warn: GatherPorts['warn']): NonNullable<McpOptions['consent']> =>
  async (question) => {
    try {
      return (await ask(question)) === true;
    } catch (error) {
      warn(`mcp.consent failed, so the MCP server "${question.name}" is not started: ${thrownText(error)}`);
      return false;
    }
  };

/** Kept in the person's own list. */
export const keepEnabled = async (
  paths: HalterPaths | undefined,
  name: string,
  enabled: boolean,
): Promise<Outcome<void>> => {
  if (paths === undefined) return succeed(undefined);
  return createMcpFile(paths.config).change((content) => {
    const servers = objectIn(content['mcpServers']);
    if (servers[name] === undefined) return content;
    const { disabled: _disabled, ...entry } = objectIn(servers[name]);
    return { ...content, mcpServers: { ...servers, [name]: enabled ? entry : { ...entry, disabled: true } } };
  });
};

const objectIn = (value: JsonValue | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
