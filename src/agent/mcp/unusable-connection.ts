/** Stands for the connection to a server where the client for MCP cannot be loaded: nothing is reached, and why is said. */
import type { Failure } from '../../core/outcome.ts';
import type { Connection } from '../../mcp/connection.ts';
import type { ServerDefinition } from '../../mcp/server-definition.ts';

export const unusableConnection = (server: ServerDefinition, why: Failure): Connection => {
  const refused = async () => ({
    ok: false as const,
    error: { ...why, message: `The MCP server "${server.name}" is not used. ${why.message}` },
  });
  return {
    server,
    state: () => ({ state: 'failed', detail: why.message }),
    offersResources: () => false,
    tools: refused,
    resources: refused,
    prompts: refused,
    call: refused,
    readResource: refused,
    prompt: refused,
    disconnect: async () => {},
    close: async () => {},
  };
};
