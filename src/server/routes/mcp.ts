/** `/mcp`: the tools for programs that speak the Model Context Protocol; and the servers that halter itself uses. */

import type { ServerReport } from '../../agent/mcp/report.ts';
import type { McpService } from '../../agent/mcp.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Outcome } from '../../core/outcome.ts';
import { MCP_LIMITS } from '../../mcp/limits.ts';
import { ApiError, fromFailure } from '../api-error.ts';
import type { McpLogins } from '../mcp-logins.ts';
import { defineRoute, json, type Method, type Route } from '../route.ts';
import type { ServerContext } from '../server-context.ts';

const SUMMARIES: readonly [Method, string][] = [
  ['POST', 'A message of the Model Context Protocol'],
  ['GET', 'What the server says by itself on a connection of the protocol'],
  ['DELETE', 'End a connection of the protocol'],
];

const LOGIN = {
  type: 'object',
  required: ['kept'],
  description: 'Where halter can log in there.',
  properties: {
    kept: { type: 'boolean', description: 'A login is kept.' },
    address: { type: 'string', description: 'Where the person has to go, while a login is under way.' },
    problem: { type: 'string', description: 'Why the last one failed.' },
  },
} as const;
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
    by_address: { type: 'boolean', description: 'Reached at an address, and no program that is started.' },
    consent: { type: 'string', description: 'It waits for a yes to this, see `…/allow`.' },
    login: LOGIN,
  },
} as const;
const ONE = { type: 'object', required: ['server'], properties: { server: SERVER } } as const;

const serviceOf = async ({ halter }: ServerContext): Promise<McpService> => {
  const service = await halter.mcp.open();
  if (service === undefined) throw new ApiError(404, 'not_found', 'No MCP servers are used here.');
  return service;
};
const withLogin = async (report: ServerReport, { mcpLogins }: ServerContext): Promise<object> =>
  report.by_address && mcpLogins ? { ...report, login: await mcpLogins.state(report.name) } : report;
const told = async (changed: Outcome<ServerReport>, server: ServerContext): Promise<Response> => {
  if (!changed.ok) throw fromFailure(changed.error);
  return json({ server: await withLogin(changed.value, server) });
};
/** The server of this name as it stands, after something about its login. */
const afterLogin = async (name: string, done: Outcome<void>, server: ServerContext): Promise<Response> => {
  if (!done.ok) throw fromFailure(done.error);
  const report = server.halter.mcp.report().find((each) => each.name === name);
  if (report === undefined) throw new ApiError(404, 'not_found', `There is no MCP server "${name}".`);
  return told({ ok: true, value: report }, server);
};
const loginsOf = ({ mcpLogins }: ServerContext): McpLogins => {
  if (mcpLogins === undefined) throw new ApiError(404, 'not_found', 'Nobody logs in to MCP servers here.');
  return mcpLogins;
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
      const servers = await Promise.all(server.halter.mcp.report().map((report) => withLogin(report, server)));
      return json({ servers });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/mcp/servers',
    summary: "Put a server on the person's own list",
    description: 'Nothing is started or reached before `allow` says yes to what the answer shows.',
    tag: 'mcp',
    body: {
      type: 'object',
      required: ['name', 'server'],
      properties: {
        name: { type: 'string' },
        server: {
          type: 'object',
          description: '`{command, args, env}` or `{url, headers}`, as an entry of `mcpServers` in mcp.json.',
        },
      },
    },
    responses: {
      201: { description: 'It is on the list.', schema: ONE },
      400: { description: 'It is no server, or there is one of that name.' },
    },
    async handle({ body, server }) {
      const put = await (await serviceOf(server)).put(body.name, body.server as JsonObject);
      if (!put.ok) throw fromFailure(put.error);
      return json({ server: await withLogin(put.value, server) }, 201);
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/mcp/servers/:name',
    summary: "Take a server off the person's own list",
    description: 'With its login. What it offers is gone.',
    tag: 'mcp',
    responses: { 200: { description: 'It is gone.', schema: { type: 'object', properties: { ok: { const: true } } } } },
    async handle({ params, server }) {
      const removed = await (await serviceOf(server)).remove(params['name'] ?? '');
      if (!removed.ok) throw fromFailure(removed.error);
      return json({ ok: true });
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
      told(await (await serviceOf(server)).setEnabled(params['name'] ?? '', body.enabled), server),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/mcp/servers/:name/reconnect',
    summary: 'Connect to a server anew',
    tag: 'mcp',
    responses: { 200: { description: 'How it stands now.', schema: ONE } },
    handle: async ({ params, server }) => told(await (await serviceOf(server)).reconnect(params['name'] ?? ''), server),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/mcp/servers/:name/allow',
    summary: 'Let a server of the folder start',
    description: 'For good, and only as it was shown: what the folder says of it since then asks again.',
    tag: 'mcp',
    body: {
      type: 'object',
      required: ['consent'],
      properties: { consent: { type: 'string', description: 'As `GET /api/mcp/servers` said it.' } },
    },
    responses: { 200: { description: 'How it stands now.', schema: ONE } },
    handle: async ({ params, body, server }) =>
      told(await (await serviceOf(server)).allow(params['name'] ?? '', body.consent), server),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/mcp/servers/:name/login',
    summary: 'Log in to a server',
    description:
      'Comes back when `login.address` says where the person has to go; that page ends at an address of the machine on which halter runs. Where the browser is elsewhere, the address it ended at is sent here as `returned`.',
    tag: 'mcp',
    body: { type: 'object', properties: { returned: { type: 'string', maxLength: MCP_LIMITS.mcpAddressCharacters } } },
    bodyOptional: true,
    responses: { 200: { description: 'How it stands now.', schema: ONE } },
    async handle({ params, body, server }) {
      const name = params['name'] ?? '';
      await serviceOf(server);
      const logins = loginsOf(server);
      const done = body.returned === undefined ? await logins.begin(name) : logins.returned(name, body.returned);
      return afterLogin(name, done, server);
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/mcp/servers/:name/login',
    summary: 'Forget the login to a server',
    tag: 'mcp',
    responses: { 200: { description: 'How it stands now.', schema: ONE } },
    async handle({ params, server }) {
      const name = params['name'] ?? '';
      const service = await serviceOf(server);
      const forgotten = await loginsOf(server).forget(name);
      // What is connected goes on with what it was let in by, unless it has to show it again.
      if (forgotten.ok) await service.reconnect(name);
      return afterLogin(name, forgotten, server);
    },
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
