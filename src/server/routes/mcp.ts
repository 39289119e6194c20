/** `/mcp`: the tools for programs that speak the Model Context Protocol. */
import { defineRoute, type Method, type Route } from '../route.ts';

const SUMMARIES: readonly [Method, string][] = [
  ['POST', 'A message of the Model Context Protocol'],
  ['GET', 'What the server says by itself on a connection of the protocol'],
  ['DELETE', 'End a connection of the protocol'],
];

export const MCP_ROUTES: readonly Route[] = SUMMARIES.map(([method, summary]) =>
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
