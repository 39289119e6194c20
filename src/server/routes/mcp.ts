/** `/mcp`: the tools for programs that speak the Model Context Protocol; and the servers that halter itself uses. */
import type { Outcome } from '../../core/outcome.ts';
import type { ServerReport } from '../../runtime/mcp/report.ts';
import type { McpService } from '../../runtime/mcp.ts';
import { ApiError, fromFailure } from '../api-error.ts';
import { defineRoute, json, type Method, type Route } from '../route.ts';
import type { ServerContext } from '../server-context.ts';

const SUMMARIES: readonly [Method, string][] = [
  ['POST', 'A message of the Model Context Protocol'],
  ['GET', 'What the server says by itself on a connection of the protocol'],
  ['DELETE', 'End a connection of the protocol'],
];

const SERVER = {
  type: 'object',
  required: ['name', 'origin', 'shown', 'state', 'detail', 'tools', 'tool_names'],
  properties: {
    name: { type: 'string' },
    origin: { enum: ['own', 'folder', 'program'], description: "The person's list, the folder's, or the program's." },
    shown: { type: 'string', description: 'What is started or reached, without secrets.' },
    state: { enum: ['not connected', 'connected', 'failed', 'login needed', 'disabled'] },
    detail: { type: 'string', description: 'What it says of itself, or why it is not connected.' },
    tools: { type: 'integer' },
    tool_names: { type: 'array', items: { type: 'string' } },
  },
} as const;
const ONE = { type: 'object', required: ['server'], properties: { server: SERVER } } as const;

const serviceOf = async ({ halter }: ServerContext): Promise<McpService> => {
  const service = await halter.mcp.open();
  if (service === undefined) throw new ApiError(404, 'not_found', 'No MCP servers are used here.');
  return service;
};
const told = (changed: Outcome<ServerReport>): Response => {
  if (!changed.ok) throw fromFailure(changed.error);
  return json({ server: changed.value });
};

const SERVER_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/mcp/servers',
    summary: 'The MCP servers whose tools are on offer, and how they stand',
    description: 'Connects to them, as the first session does.',
    tag: 'mcp',
    responses: {
      200: {
        description: 'The servers.',
        schema: { type: 'object', required: ['servers'], properties: { servers: { type: 'array', items: SERVER } } },
      },
    },
    async handle({ server }) {
      await server.halter.mcp.open();
      return json({ servers: server.halter.mcp.report() });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/mcp/servers/:name',
    summary: 'Turn a server on or off',
    description: "Of the person's own list it is kept, of others it is until the server ends.",
    tag: 'mcp',
    body: { type: 'object', required: ['enabled'], properties: { enabled: { type: 'boolean' } } },
    responses: { 200: { description: 'How it stands now.', schema: ONE } },
    handle: async ({ params, body, server }) =>
      told(await (await serviceOf(server)).setEnabled(params['name'] ?? '', body.enabled)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/mcp/servers/:name/reconnect',
    summary: 'Connect to a server anew',
    tag: 'mcp',
    responses: { 200: { description: 'How it stands now.', schema: ONE } },
    handle: async ({ params, server }) => told(await (await serviceOf(server)).reconnect(params['name'] ?? '')),
  }),
];

const PROTOCOL_ROUTES: readonly Route[] = SUMMARIES.map(([method, summary]) =>
  defineRoute({
    method,
    path: '/mcp',
    summary,
    description:
      "Streamable HTTP, of the revisions 2025-03-26 to 2026-07-28. The tools are those of `GET /api/tools` that are halter's own; a result holds the whole ToolResult as structured content.",
    tag: 'mcp',
    responses: { 200: { description: 'JSON-RPC, as JSON or as a stream of events.' } },
    handle: async ({ request, server }) => (await server.mcp()).handle(request),
  }),
);

export const MCP_ROUTES: readonly Route[] = [...PROTOCOL_ROUTES, ...SERVER_ROUTES];
