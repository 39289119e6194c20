/**
 * MCP servers that an editor names for a session. It may have them from the person's settings or from a file of the folder,
 * and does not say which; so each is shown in full and asked about through the editor before it starts, once for every
 * exact command and folder.
 */
import {
  type AgentContext,
  type McpServer,
  RequestError,
  type RequestPermissionRequest,
} from '@agentclientprotocol/sdk';
import type { ServerDefinition } from '../mcp/server-definition.ts';
import { serverNameFrom, shownServer } from '../mcp/server-definition.ts';
import { askEditor } from './ask-editor.ts';

/** Whether a server may start in a folder, as the person said before. */
export type EditorConsents = {
  has(folder: string, server: ServerDefinition): Promise<boolean>;
  add(folder: string, server: ServerDefinition): Promise<void>;
};

const pairs = (list: readonly { name: string; value: string }[]): Record<string, string> =>
  Object.fromEntries(list.map(({ name, value }) => [name, value]));

/** Names are for people there, and a part of tools' names here. */
export const editorServers = (named: readonly McpServer[]): ServerDefinition[] => {
  const taken = new Set<string>();
  return named.map((server) => {
    const name = serverNameFrom(server.name, taken);
    taken.add(name);
    if ('command' in server)
      return {
        name,
        kind: 'process',
        command: server.command,
        args: server.args,
        env: pairs(server.env),
        literal: true,
      };
    if (server.type !== 'http')
      throw RequestError.invalidParams(undefined, `${server.name}: servers of the kind ${server.type} cannot be used`);
    return { name, kind: 'http', url: server.url, headers: pairs(server.headers), literal: true };
  });
};

const OPTIONS: RequestPermissionRequest['options'] = [
  { optionId: 'allow_once', name: 'Start it now', kind: 'allow_once' },
  { optionId: 'remember', name: 'Start it, now and later, as it is', kind: 'allow_always' },
  { optionId: 'deny', name: 'Go on without it', kind: 'reject_once' },
];

/** Those that the person lets start; a question that is closed is a no. */
export const askAboutServers = async (
  servers: readonly ServerDefinition[],
  {
    sessionId,
    folder,
    client,
    consents,
  }: { sessionId: string; folder: string; client: AgentContext; consents: EditorConsents },
): Promise<ServerDefinition[]> => {
  const allowed: ServerDefinition[] = [];
  for (const server of servers) {
    const shown = shownServer(server);
    const does = server.kind === 'process' ? 'Start' : 'Connect to';
    const { optionId: chosen } = await askEditor(client, {
      sessionId,
      toolCall: {
        toolCallId: `mcp_server_${server.name}`,
        title: `${does} the MCP server ${server.name}`,
        kind: server.kind === 'process' ? 'execute' : 'fetch',
        status: 'pending',
        content: [{ type: 'content', content: { type: 'text', text: shown } }],
      },
      options: OPTIONS,
    });
    if (chosen === 'remember') await consents.add(folder, server);
    if (chosen === 'remember' || chosen === 'allow_once') allowed.push(server);
  }
  return allowed;
};
