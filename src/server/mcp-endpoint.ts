/** `/mcp`: halter's tools over streamable HTTP. Guards and token are those of every route. */
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Agent } from '../agent/create-agent.ts';
import { servedTools } from '../agent/mcp/serve.ts';
import { createToolServer } from '../mcp/tool-server.ts';
import { SERVER_LIMITS } from './limits.ts';

export type McpEndpoint = { handle(request: Request): Promise<Response>; close(): Promise<void> };

type HttpSession = { transport: WebStandardStreamableHTTPServerTransport; usedAt: number };

export const createMcpEndpoint = (halter: Agent, version: string, now: () => number): McpEndpoint => {
  const served = servedTools(halter, version);
  /** Of clients that shake hands first; those of the newer protocol need none. */
  const sessions = new Map<string, HttpSession>();
  const modern = createMcpHandler(() => createToolServer(served), {
    legacy: 'reject',
    maxRequestBodySize: SERVER_LIMITS.bodyBytes,
  });

  const makeRoom = async (): Promise<void> => {
    if (sessions.size < SERVER_LIMITS.mcpSessions) return;
    const [oldest] = [...sessions].sort(([, one], [, other]) => one.usedAt - other.usedAt);
    if (oldest === undefined) return;
    sessions.delete(oldest[0]);
    await oldest[1].transport.close();
  };
  const openSession = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    await makeRoom();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      maxRequestBodySize: SERVER_LIMITS.bodyBytes,
      onsessioninitialized: (id) => void sessions.set(id, { transport, usedAt: now() }),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await createToolServer(served).connect(transport);
    return transport;
  };
  const legacy = async (request: Request): Promise<Response> => {
    const id = request.headers.get('mcp-session-id');
    if (id === null) {
      const response = await (await openSession()).handleRequest(request);
      return response;
    }
    const session = sessions.get(id);
    if (session === undefined) {
      const error = { code: -32_001, message: 'There is no such session; begin with initialize.' };
      return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 });
    }
    session.usedAt = now();
    return session.transport.handleRequest(request);
  };

  return {
    handle: async (request) => ((await isLegacyRequest(request.clone())) ? legacy(request) : modern.fetch(request)),
    async close() {
      await modern.close();
      await Promise.all([...sessions.values()].map(({ transport }) => transport.close()));
      sessions.clear();
    },
  };
};
