/** Lets halter in at an MCP server that asks who comes: for `halter mcp login` and for the page. */

import { randomBytes } from 'node:crypto';
import { noteConnections } from '../agent/create-agent/egress-ledger.ts';
import { loginsOf } from '../agent/mcp/logins.ts';
import { noSuchServer } from '../agent/mcp/own-list.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { OUTSIDE_PACKAGES } from '../core/outside-packages.ts';
import { thrownText } from '../core/thrown-text.ts';
import { loadPackage } from '../disk/load-package.ts';
import { createNetwork } from '../io/network.ts';
import { createWorkspace } from '../io/workspace.ts';
import type { HttpServer } from '../mcp/login-record.ts';
import { readServers, withEnvironment } from '../mcp/server-definition.ts';
import { createEgressFile } from '../storage/egress-file.ts';
import { createMcpFile, readFolderServers } from '../storage/mcp-files.ts';
import { createLoginFile } from '../storage/mcp-logins.ts';
import type { Io } from './io.ts';
import { CLI_LIMITS } from './limits.ts';
import { openLoopback } from './loopback.ts';
import { pathsOf } from './settings.ts';
import { readVersion } from './version.ts';

/** Of the person's own list, else of the folder's. */
export const serverToLogInAt = async (name: string, folder: string, io: Io): Promise<Outcome<HttpServer>> => {
  const own = await createMcpFile(pathsOf(io).config).read();
  if (!own.ok) return own;
  const workspace = await createWorkspace({ root: folder });
  const ofFolder = workspace.ok ? await readFolderServers(workspace.value) : undefined;
  const listed = [own.value, ...(ofFolder?.ok ? [ofFolder.value] : [])].flatMap((value) => readServers(value).servers);
  const found = listed.find((server) => server.name === name);
  if (found === undefined)
    return {
      ok: false,
      error: noSuchServer(
        name,
        listed.map((server) => server.name),
        'your list or that of this folder',
      ),
    };
  const { server, missing } = withEnvironment(found, io.env);
  if (missing.length > 0) return failure('validation_failed', `The environment has no ${missing.join(', ')}.`);
  if (server.kind !== 'http')
    return failure('validation_failed', `${name} is a program here; only addresses have logins.`);
  if (server.oauth?.grant_type === 'client_credentials')
    return failure('validation_failed', `${name} needs no login: its settings let halter in by itself.`, 'not_needed');
  return succeed(server);
};

export type LoginSteps = {
  /** Sends the person there; the address is nobody's that halter knows. */
  open(address: URL): void;
  /** On another machine than the browser's, what the person says that it ended at. `url` is where it was to end. */
  elsewhere(url: string): Promise<URLSearchParams>;
  signal: AbortSignal;
};

/** Comes back when the person has logged in and it is kept, or why not. */
export const logInAt = async (
  server: HttpServer,
  io: Io,
  { open, elsewhere, signal }: LoginSteps,
): Promise<Outcome<void>> => {
  const { config, data } = pathsOf(io);
  const safe = await createLoginFile(config).read(server.name);
  if (!safe.ok) return safe;
  const client = await loadPackage(OUTSIDE_PACKAGES.mcp, () => import('../mcp/login.ts'));
  if (!client.ok) return client;
  const opened = await openLoopback(Number(server.oauth?.redirect_port ?? 0));
  if (!opened.ok) return opened;
  const loopback = opened.value;
  const logins = loginsOf(config, server.name);
  const ledger = createEgressFile({ folder: data, onProblem: (message) => io.stderr.write(`halter: ${message}\n`) });
  const network = createNetwork({ environment: io.env, ...noteConnections(ledger) });
  const over = new AbortController();
  const back = Promise.any([loopback.answered, elsewhere(loopback.url)]).then(succeed);
  try {
    const made = await client.value.logIn({
      server,
      before: await logins.read(),
      ports: { network, guarded: network.guarded({ allowPrivate: [] }) },
      version: readVersion(),
      redirect: { url: loopback.url, state: randomBytes(32).toString('base64url'), open },
      answered: Promise.race([back, later(CLI_LIMITS.mcpLoginMs, AbortSignal.any([signal, over.signal]))]),
    });
    if (!made.ok) return made;
    await logins.write(made.value);
    return succeed(undefined);
  } catch (error) {
    return failure('io_error', thrownText(error));
  } finally {
    over.abort();
    network.close();
    loopback.close();
  }
};

/** Whether a text is the address that the browser was to end at, and what it brought. */
export const answerIn = (text: string, url: string): URLSearchParams | undefined =>
  text.trim().startsWith(`${url}?`) ? new URL(text.trim()).searchParams : undefined;

const later = (ms: number, signal: AbortSignal): Promise<Outcome<never>> =>
  new Promise((done) => {
    const timer = setTimeout(() => done(failure('io_error', 'Nobody logged in in time.', 'timeout')), ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      done(failure('io_error', 'The login was given up.', 'cancelled'));
    });
  });
