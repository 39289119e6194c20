/** halter as a client of the server that the official suite names: connects, logs in where it has to, lists, calls every tool once. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loginsOf } from '../../../src/agent/mcp/logins.ts';
import { openLoopback } from '../../../src/cli/loopback.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { succeed } from '../../../src/core/outcome.ts';
import { createNetwork } from '../../../src/io/network.ts';
import { logIn } from '../../../src/mcp/login.ts';
import type { HttpServer } from '../../../src/mcp/login-record.ts';
import { readServers } from '../../../src/mcp/server-definition.ts';
import { openHalter } from '../../../src/server/open-halter.ts';

const url = process.argv[2] ?? '';
const folder = mkdtempSync(join(tmpdir(), 'halter-mcp-suite-'));
/** A person gives up sooner than a server that asks for more each time. */
const LOGINS = 3;

type Context = { client_id?: string; client_secret?: string; private_key_pem?: string; signing_algorithm?: string };
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Context;
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const isMachine = scenario.startsWith('auth/client-credentials');
/** Whoever writes down a secret knows which authorization server it is for; the suite's says so itself. */
const issuerOf = async (): Promise<string> => {
  const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', url));
  const {
    authorization_servers: [issuer],
  } = (await metadata.json()) as { authorization_servers: [string] };
  return issuer;
};
const hasSecret = context.client_secret !== undefined || context.private_key_pem !== undefined;
/** What the person would write down for this server. */
const oauth: JsonObject = {
  ...(context.client_id === undefined ? {} : { client_id: context.client_id }),
  ...(context.client_secret === undefined ? {} : { client_secret: context.client_secret }),
  ...(context.private_key_pem === undefined ? {} : { private_key: context.private_key_pem }),
  ...(context.signing_algorithm === undefined ? {} : { algorithm: context.signing_algorithm }),
  ...(hasSecret ? { issuer: await issuerOf() } : {}),
  ...(isMachine ? { grant_type: 'client_credentials' } : {}),
  // An authorization server of the older revision that calls itself something else than it is asked as.
  ...(scenario === 'auth/2025-03-26-oauth-metadata-backcompat' ? { issuer: new URL('/oauth', url).href } : {}),
  ...(scenario === 'auth/basic-cimd'
    ? { client_metadata_url: 'https://conformance-test.local/client-metadata.json' }
    : {}),
};
const servers = { mcpServers: { suite: { url, ...(Object.keys(oauth).length > 0 ? { oauth } : {}) } } };

const halter = await openHalter({
  folder,
  io: { environment: { HOME: folder, PATH: process.env['PATH'] ?? '' } },
  permissions: { sandbox: false, allow: ['mcp__*'] },
  mcp: {
    servers,
    // The person fills nothing in, so that the defaults of the form count.
    ask: () => ({ action: 'accept', content: {} }),
  },
});
const service = await halter.mcp.open();

/** As `halter mcp login`, with a browser that agrees to everything. */
const logInOnce = async (): Promise<boolean> => {
  const server = readServers(servers).servers[0] as HttpServer;
  const loopback = await openLoopback(0);
  if (!loopback.ok) return false;
  const network = createNetwork();
  const logins = loginsOf(halter.paths.config, server.name);
  const made = await logIn({
    server,
    before: await logins.read(),
    ports: { network, guarded: network.guarded({ allowPrivate: [] }) },
    version: '0.0.0',
    redirect: {
      url: loopback.value.url,
      state: crypto.randomUUID(),
      open: (address) => void fetch(address).catch(() => {}),
    },
    answered: loopback.value.answered.then(succeed),
  });
  loopback.value.close();
  network.close();
  if (made.ok) await logins.write(made.value);
  else process.stderr.write(`${made.error.message}\n`);
  return made.ok && (await service?.reconnect('suite')) !== undefined;
};
const isLoginNeeded = (): boolean => halter.mcp.report().some(({ state }) => state === 'login needed');

let logins = 0;
const withLogin = async (): Promise<boolean> => {
  if (logins >= LOGINS || !isLoginNeeded()) return false;
  logins += 1;
  return logInOnce();
};
await withLogin();
const samples: Readonly<Record<string, number>> = { a: 5, b: 3 };
for (const { name, parameters } of halter.tools) {
  if (!name.startsWith('mcp__')) continue;
  const names = Object.keys((parameters['properties'] ?? {}) as object);
  const args = Object.fromEntries(names.filter((key) => key in samples).map((key) => [key, samples[key]]));
  let result = await halter.executeTool(name, args);
  while (result.metadata.reason === 'login_needed' && (await withLogin()))
    result = await halter.executeTool(name, args);
  process.stdout.write(`${JSON.stringify({ name, result })}\n`);
}
process.stdout.write(`${JSON.stringify(halter.mcp.report())}\n`);
await halter.close();
rmSync(folder, { recursive: true, force: true });
